import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { choose } from "../decide/choose.js";
import { podInfo } from "./pod-info.js";
import { node, pod, cluster, decide } from "../../../test/scheduler/shapes.js";

describe("what the state counts", () => {
  const one = { cpu: "4" };

  test("an assumed pod holds its place until it is forgotten", () => {
    const state = cluster([node("a")]);
    const first = podInfo(pod({ requests: one }));
    state.assume(first, "a");
    expect(decide(pod({ requests: one }), state)).toBe("0/1 nodes are available: 1 Insufficient cpu.");
    state.forget(first.uid);
    expect(decide(pod({ requests: one }), state)).toBe("a");
  });

  test("a pod that is being deleted holds its place; one that has ended does not", () => {
    const there = pod({ on: "a", requests: one });
    const deleting = { ...there, metadata: { ...there.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const state = cluster([node("a")], [deleting]);
    expect(decide(pod({ requests: one }), state)).toContain("Insufficient cpu");
    state.setPod({ ...deleting, status: { phase: "Succeeded" } });
    expect(decide(pod({ requests: one }), state)).toBe("a");
  });

  test("pods that came before their node are counted when it comes", () => {
    const state = cluster([], [pod({ on: "a", requests: one })]);
    expect(decide(pod(), state)).toBe("no nodes available to schedule pods");
    state.setNode(node("a"));
    expect(decide(pod({ requests: one }), state)).toContain("Insufficient cpu");
  });

  test.each([
    { what: "the sum of containers", spec: { containers: [c("1"), c("2")] }, cpu: 3_000 },
    {
      what: "the largest init container, if that is more",
      spec: { initContainers: [c("4"), c("2")], containers: [c("1")] },
      cpu: 4_000,
    },
    {
      what: "sidecars beside containers",
      spec: { initContainers: [side("1"), side("1")], containers: [c("1")] },
      cpu: 3_000,
    },
    {
      what: "an init container beside the sidecars before it",
      spec: { initContainers: [side("1"), c("4"), side("9m")], containers: [c("1")] },
      cpu: 5_000,
    },
    { what: "the overhead too", spec: { containers: [c("1")], overhead: { cpu: "250m" } }, cpu: 1_250 },
    {
      what: "what the pod says as a whole",
      spec: { containers: [c("1")], resources: { requests: { cpu: "3" } } },
      cpu: 3_000,
    },
  ])("a pod needs $what", ({ spec, cpu }) => {
    expect(podInfo(pod({ spec: spec as Partial<PodSpec> })).requests.cpu).toBe(cpu);
  });
});

function c(cpu: string): object {
  return { name: "c", resources: { requests: { cpu } } };
}

function side(cpu: string): object {
  return { ...c(cpu), restartPolicy: "Always" };
}

test("no node is ever given more than it has, whatever comes and goes", () => {
  const cpu = fc.integer({ min: 1, max: 40 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("place" as const), cpu }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("remove" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("forget" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("confirm" as const), which: fc.nat() }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer(), (steps, seed) => {
      const random = seededRandom(seed);
      const nodes = ["a", "b", "c"].map((name) => node(name, { allocatable: { cpu: "10", pods: "6" } }));
      const state = cluster(nodes);
      const placed = new Map<string, { pod: Pod; on: string; cpu: number; seen: boolean }>();
      const pick = (which: number): [string, { pod: Pod; on: string; cpu: number; seen: boolean }] | undefined =>
        [...placed][which % Math.max(1, placed.size)];
      for (const action of steps) {
        if (action.type === "place") {
          const subject = pod({ requests: { cpu: `${action.cpu * 100}m` } });
          const decision = choose(podInfo(subject), state, { random });
          const fits = nodes.some(({ metadata: { name } }) => {
            const there = [...placed.values()].filter(({ on }) => on === name);
            return there.length < 6 && there.reduce((sum, each) => sum + each.cpu, action.cpu) <= 100;
          });
          expect(decision.type).toBe(fits ? "chosen" : "none");
          if (decision.type === "none") continue;
          state.assume(podInfo(subject), decision.node);
          placed.set(subject.metadata.uid ?? "", { pod: subject, on: decision.node, cpu: action.cpu, seen: false });
        } else {
          const [uid, found] = pick(action.which) ?? [];
          if (uid === undefined || found === undefined) continue;
          if (action.type === "confirm") {
            state.setPod({ ...found.pod, spec: { containers: [], ...found.pod.spec, nodeName: found.on } });
            found.seen = true;
          } else if (action.type === "forget") {
            state.forget(uid);
            if (!found.seen) placed.delete(uid);
          } else {
            state.removePod(uid);
            placed.delete(uid);
          }
        }
        for (const { name } of nodes.map(({ metadata }) => metadata)) {
          const there = [...placed.values()].filter(({ on }) => on === name);
          const info = state.node(name);
          expect(info?.requested.cpu).toBe(there.reduce((sum, each) => sum + each.cpu * 100, 0));
          expect(info?.pods.size).toBe(there.length);
          expect(info?.requested.cpu).toBeLessThanOrEqual(10_000);
        }
      }
    }),
  );
});

test("a pod that is resized holds what it has and what it asks for, unless its node can never give it that", () => {
  const resized = (reason?: string): Pod =>
    pod({
      on: "a",
      requests: { cpu: "3" },
      status: {
        containerStatuses: [
          {
            name: "c",
            image: "i",
            imageID: "",
            ready: true,
            restartCount: 0,
            resources: { requests: { cpu: "2" } },
            allocatedResources: { cpu: "2" },
          },
        ],
        ...(reason && { conditions: [{ type: "PodResizePending", status: "True", reason }] }),
      },
    });
  const other = pod({ requests: { cpu: "2" } });
  expect(decide(other, cluster([node("a")], [resized("Deferred")]))).toContain("1 Insufficient cpu");
  expect(decide(other, cluster([node("a")], [resized("Infeasible")]))).toBe("a");
  const shrunk = { ...resized(), spec: pod({ on: "a", requests: { cpu: "1" } }).spec } as Pod;
  expect(decide(pod({ requests: { cpu: "3" } }), cluster([node("a")], [shrunk]))).toContain("1 Insufficient cpu");
});
