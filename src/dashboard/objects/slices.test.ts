import { expect, test } from "vitest";
import { type KubeObject, type Node, Pod, ReplicaSet } from "../../api/index.js";
import { ownerTree, type Relatives } from "./family.js";
import { mapOf } from "./map.js";
import type { Pace } from "./pace.js";
import { workloadsOf } from "./workloads.js";

const many = 10_000;

/** A slice is over at each look, and the number of pauses is counted. */
function pace(signal = new AbortController().signal): Pace & { readonly pauses: () => number } {
  let pauses = 0;
  return {
    signal,
    turns: {
      due: () => true,
      async pause() {
        pauses += 1;
      },
    },
    pauses: () => pauses,
  };
}

const podOf = (i: number, isReady: boolean): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `pod-${i}`,
      namespace: "default",
      uid: `pod-${i}`,
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: `rs-${i % 2}`, controller: true },
      ],
    },
    spec: { nodeName: `node-${i % 500}` },
    status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  }) as unknown as Pod;

const nodeOf = (i: number): Node =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${i}` },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  }) as Node;

const pods = Array.from({ length: many }, (_, i) => podOf(i, i % 500 !== 499));

test("a map of many pods counts them in slices, draws those in trouble, and has their nodes first", async () => {
  const slices = pace();
  const nodes = Array.from({ length: 500 }, (_, i) => nodeOf(i));
  const map = await mapOf(nodes, pods, slices);
  expect(slices.pauses()).toBeGreaterThan(many / 100);
  expect([map.nodes.length, map.nodesMore]).toEqual([300, 200]);
  const well = { pods: [], more: 20, counts: { good: 20, busy: 0, bad: 0 } };
  expect(map.nodes[0]).toMatchObject(well);
  expect(map.nodes.at(-1)).toMatchObject({ name: "node-499", more: 0, counts: { good: 0, busy: 20, bad: 0 } });
  expect(map.nodes.at(-1)?.pods).toHaveLength(20);
});

test("a family is looked for in slices, and shown in part", async () => {
  const slices = pace();
  const object = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "rs", namespace: "default", uid: "rs-1" },
  };
  const asked: string[] = [];
  const relatives = (namespace: string): readonly Relatives[] => {
    asked.push(namespace);
    // two informers may have the same objects
    return [
      { type: Pod, objects: pods },
      { type: Pod, objects: pods.slice(0, 10) },
    ];
  };
  const search = { relatives, readOwner: async () => undefined, pace: slices };
  const tree = await ownerTree({ object: object as KubeObject, type: ReplicaSet }, search);
  expect([tree.children.length, tree.more, asked]).toEqual([100, many / 2 - 100, ["default"]]);
  expect(slices.pauses()).toBeGreaterThan(many / 100);
});

test("of many workloads, the ones in trouble are shown", async () => {
  const set = (i: number): KubeObject =>
    ({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: `s-${i}`, namespace: "default", uid: `s-${i}` },
      spec: { replicas: 2 },
      status: { readyReplicas: i === 900 ? 1 : 2, updatedReplicas: 2 },
    }) as KubeObject;
  const members = Array.from({ length: 1_000 }, (_, i) => ({ object: set(i), type: ReplicaSet }));
  const { workloads, workloadsMore } = await workloadsOf(members, pace());
  expect([workloads.length, workloadsMore]).toEqual([200, 800]);
  expect(workloads.find(({ tone }) => tone !== "good")?.name).toBe("s-900");
});

test("a question that nobody waits for any more ends between two slices", async () => {
  const ended = new AbortController();
  ended.abort(new Error("the page is gone"));
  await expect(mapOf([], pods, pace(ended.signal))).rejects.toThrow("the page is gone");
});
