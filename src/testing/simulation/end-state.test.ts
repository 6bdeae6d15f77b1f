import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import {
  chanceIn,
  differences,
  endStateOf,
  isSameState,
  settledWithout,
  withoutChance,
  withoutGarbage,
} from "./end-state.js";

interface Made extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const made = (name: string, rest: Partial<Made> = {}, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name, namespace: "ns", uid: `uid-${name}`, ...metadata },
    ...rest,
  }) as KubeObject;

const state = (objects: readonly KubeObject[], ignore: readonly string[] = []) => endStateOf(objects, { ignore });

describe("two right histories end alike", () => {
  test("whatever their uids, revisions, times and generations are", () => {
    const one = made(
      "a",
      { status: { observedGeneration: 2, since: "2020-01-01T00:00:00Z" } },
      { uid: "1", resourceVersion: "7", generation: 2 },
    );
    const two = made(
      "a",
      { status: { observedGeneration: 5, since: "2021-01-01T00:00:00Z" } },
      { uid: "2", resourceVersion: "9", generation: 5 },
    );
    expect(differences(state([one]), state([two]))).toEqual([]);
  });

  test("whatever names were generated, also where they are referred to", () => {
    const history = (suffix: string) =>
      state([
        made(
          `pod-${suffix}`,
          {},
          { generateName: "pod-", ownerReferences: [{ apiVersion: "v1", kind: "Thing", name: "a", uid: "uid-a" }] },
        ),
        made("a", { status: { last: `pod-${suffix}` } }),
      ]);
    expect(differences(history("x1"), history("y2"))).toEqual([]);
  });

  test("whatever hash a ReplicaSet has, also in the names of its pods and in messages", () => {
    const history = (hash: string, collisions: object) => {
      const labels = { "pod-template-hash": hash };
      const message = `ReplicaSet "web-${hash}" has successfully progressed.`;
      return state([
        made("web", { kind: "Deployment", status: { message, ...collisions } }),
        made(`web-${hash}`, { kind: "ReplicaSet", spec: { selector: { matchLabels: labels } } }, { labels }),
        made(`web-${hash}-x1`, { kind: "Pod" }, { generateName: `web-${hash}-`, labels }),
        made("web", { kind: "Endpoints", status: { names: [`web-${hash}-x1`] } }),
      ]);
    };
    expect(differences(history("589c7d946d", {}), history("7dcd885889", { collisionCount: 1 }))).toEqual([]);
  });

  test("whatever the order of conditions and of objects with generated names is", () => {
    const child = (name: string, spec: string) => made(name, { spec }, { generateName: "c-" });
    const one = [
      made("a", { status: { conditions: [{ type: "A" }, { type: "B" }] } }),
      child("c-1", "x"),
      child("c-2", "y"),
    ];
    const two = [
      made("a", { status: { conditions: [{ type: "B" }, { type: "A" }] } }),
      child("c-1", "y"),
      child("c-2", "x"),
    ];
    expect(differences(state(one), state(two))).toEqual([]);
  });

  test("whether or not the last change of endpoints came from a pod", () => {
    const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": "2020-01-01T00:00:00Z" };
    expect(differences(state([made("a", {}, { annotations })]), state([made("a")]))).toEqual([]);
  });

  test("but for the paths that are to be ignored", () => {
    const [one, two] = [made("a", { status: { tries: 1 } }), made("a", { status: { tries: 2 } })];
    expect(differences(state([one]), state([two]))).toEqual(["Thing ns/a: status.tries should be 1 and is 2"]);
    expect(differences(state([one], ["status.tries"]), state([two], ["status.tries"]))).toEqual([]);
  });

  test("but for all annotations, if these are to be ignored", () => {
    const [one, two] = [made("a", {}, { annotations: { at: "1" } }), made("a")];
    expect(differences(state([one], ["metadata.annotations"]), state([two], ["metadata.annotations"]))).toEqual([]);
  });
});

test("tells what is missing, what should not be there, and each field that differs", () => {
  const expected = state([made("a", { spec: { size: 1, tags: ["x"] } }), made("b")]);
  const actual = state([made("a", { spec: { size: 2, tags: ["x", "y"] } }), made("c")]);
  expect(differences(expected, actual)).toEqual([
    "Thing ns/a: spec.size should be 1 and is 2",
    'Thing ns/a: spec.tags.1 should be absent and is "y"',
    "Thing ns/b: is missing",
    "Thing ns/c: should not be there",
  ]);
});

test("an observed generation that is not the current one is seen", () => {
  const of = (observedGeneration: number) => state([made("a", { status: { observedGeneration } }, { generation: 3 })]);
  expect(differences(of(3), of(2))).toEqual([
    'Thing ns/a: status.observedGeneration should be "<current>" and is "<outdated>"',
  ]);
});

test("events and leases are no part of an end", () => {
  expect(
    state([
      { ...made("e"), kind: "Event" },
      { ...made("l"), kind: "Lease" },
    ]).size,
  ).toBe(0);
});

test("places and addresses that the server chooses are no part of an end", () => {
  const world = (suffix: string): readonly KubeObject[] =>
    [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        spec: { nodeName: suffix, volumes: [{ name: `kube-api-access-abcd${suffix}` }] },
        status: {
          podIP: suffix,
          containerStatuses: [{ state: { terminated: { containerID: `simulated://${suffix}` } } }],
        },
      },
      { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { clusterIP: suffix, type: "ClusterIP" } },
      { apiVersion: "networking.k8s.io/v1", kind: "IPAddress", metadata: { name: suffix } },
    ] as readonly KubeObject[];
  expect(endStateOf(world("1"), { ignore: [] })).toEqual(endStateOf(world("2"), { ignore: [] }));
});

test("forms that are known are taken, but for objects that refer to others", () => {
  const owner = made("a");
  const ownerReferences = [{ apiVersion: "v1", kind: "Thing", name: "a", uid: "uid-a" }];
  const child = made("b", {}, { ownerReferences });
  const known = new WeakMap();
  const first = endStateOf([owner, child], { ignore: [], known });
  const second = endStateOf([owner, child], { ignore: [], known });
  expect(second.get("Thing ns/a")).toBe(first.get("Thing ns/a"));
  expect(isSameState(first, second)).toBe(true);
  expect(isSameState(first, endStateOf([child], { ignore: [], known }))).toBe(false);
  expect(isSameState(first, first)).toBe(true);
  expect(differences(first, first)).toEqual([]);
  const orphan = endStateOf([child], { ignore: [], known }).get("Thing ns/b");
  expect(orphan).toMatchObject({ metadata: { ownerReferences: [{ uid: "uid-a" }] } });
});

test("objects whose owners are gone are garbage, and what they own in turn; not if the owner was made anew", () => {
  const ownedBy = (name: string, owner: string, uid = `uid-${owner}`): KubeObject =>
    made(name, {}, { ownerReferences: [{ apiVersion: "v1", kind: "Thing", name: owner, uid }] });
  const kept = [
    made("a"),
    ownedBy("b", "a"),
    ownedBy("c", "a", "uid of an earlier a"),
    made("d", {}, { ownerReferences: [] }),
  ];
  const garbage = [ownedBy("x", "gone"), ownedBy("y", "x"), ownedBy("z", "y")];
  expect(withoutGarbage([...garbage, ...kept])).toEqual(kept);
});

test("a name that contains the uid of an object is the same in each history", () => {
  const history = (uid: string) =>
    state([made("a", {}, { uid }), made(`vm-${uid}`, { status: { of: `cloud/${uid}` } })]);
  const [one, two] = ["12345678-1234-1234-1234-123456789012", "abcdefab-1234-1234-1234-123456789012"];
  expect(differences(history(one), history(two))).toEqual([]);
  // the name of something that belongs to nobody is told as it is
  const left = state([made("a", {}, { uid: one }), made(`vm-${two}`)]);
  expect(differences(history(one), left)).toContain(`Thing ns/vm-${two}: should not be there`);
});

test("values that are drawn by chance are covered, and must be there all the same", () => {
  const history = (password: string | undefined, colour = "red") =>
    state([made("a", { spec: { colour, ...(password === undefined ? {} : { password }) } })]);
  const chance = chanceIn(history("one"), history("two"));
  const covered = (...args: Parameters<typeof history>) => withoutChance(history(...args), chance);
  expect(differences(covered("one"), covered("three"))).toEqual([]);
  expect(differences(covered("one"), covered(undefined))).toHaveLength(1);
  expect(differences(covered("one"), covered("one", "blue"))).toHaveLength(1);
});

test("a claim that only waits for the controller that the world lacks is gone", () => {
  const controller = "persistentvolumeclaim-protection-controller";
  const held = (...finalizers: readonly string[]) =>
    made("claim", {}, { deletionTimestamp: "2020-01-01T00:00:00Z", finalizers });
  const [gone, kept] = [held("kubernetes.io/pvc-protection"), held("kubernetes.io/pvc-protection", "example.com/keep")];
  expect(settledWithout(new Set(), [gone])).toEqual([]);
  expect(settledWithout(new Set([controller]), [gone])).toEqual([gone]);
  expect(settledWithout(new Set(), [kept])).toEqual([kept]);
});
