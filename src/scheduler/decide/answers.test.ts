import fc from "fast-check";
import { expect, test } from "vitest";
import type { Node, Pod, PodSpec } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { cluster, node, pod } from "../../../test/scheduler/shapes.js";
import { podInfo } from "../state/pod-info.js";
import { Answers } from "./answers.js";
import { choose } from "./choose.js";

const port = { name: "c", ports: [{ containerPort: 80, hostPort: 80 }] };
const preferred = [
  { weight: 5, preference: { matchExpressions: [{ key: "disk", operator: "In" as const, values: ["ssd"] }] } },
];
const spread = { topologyKey: "zone", maxSkew: 1, labelSelector: { matchLabels: { app: "a" } } };

/** Kinds of pods that filters and scores tell apart. */
const kinds: readonly Partial<PodSpec>[] = [
  {},
  { tolerations: [{ key: "x", operator: "Exists" }] },
  { nodeSelector: { disk: "ssd" } },
  { containers: [port] },
  { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
  { topologySpreadConstraints: [{ ...spread, whenUnsatisfiable: "DoNotSchedule" }] },
  { topologySpreadConstraints: [{ ...spread, whenUnsatisfiable: "ScheduleAnyway" }] },
];

const taints = [[], [{ key: "x", effect: "NoSchedule" }], [{ key: "x", effect: "PreferNoSchedule" }]] as const;

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("node" as const),
      name: fc.constantFrom("a", "b", "c", "d", "e"),
      taints: fc.constantFrom(...taints),
      unschedulable: fc.constantFrom(false, false, false, true),
      disk: fc.constantFrom("ssd", "hdd"),
      zone: fc.constantFrom("1", "2"),
      cpu: fc.constantFrom("1", "4"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("gone" as const), which: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("removed" as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("leaving" as const), which: fc.nat() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("pod" as const),
      kind: fc.constantFrom(0, 0, 0, 0, ...kinds.keys()),
      owner: fc.constantFrom("", "one", "two"),
      cpu: fc.constantFrom("100m", "1"),
      seed: fc.nat(),
    }),
  },
);

test("answers that are kept decide as a cluster that is asked for the first time", () => {
  let reused = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 120 }), (steps) => {
      const state = cluster([]);
      const answers = new Answers();
      const nodes = new Map<string, Node>();
      const placed = new Map<string, Pod>();
      for (const each of steps) {
        if (each.type === "node") {
          const { name, unschedulable, disk, zone, cpu } = each;
          const one = node(name, {
            labels: { disk, zone },
            spec: { taints: [...each.taints], unschedulable },
            allocatable: { cpu },
          });
          nodes.set(name, one);
          state.setNode(one);
        } else if (each.type === "gone") {
          const name = [...nodes.keys()][each.which % Math.max(1, nodes.size)] ?? "";
          nodes.delete(name);
          state.removeNode(name);
        } else if (each.type === "pod") {
          const { kind, owner, cpu, seed } = each;
          const made = pod({ requests: { cpu }, labels: { app: "a" }, spec: kinds[kind] ?? {}, owner });
          const decide = (on: typeof state, kept?: Answers) =>
            choose(podInfo(made), on, {
              random: seededRandom(seed),
              startAt: seed % 7,
              ...(kept && { answers: kept }),
            });
          const decision = decide(state, answers);
          const first = decide(cluster([...nodes.values()], [...placed.values()]));
          if (decision.type !== "chosen" || first.type !== "chosen") {
            const reasons = ({ failure }: Extract<typeof decision, { type: "none" }>) => new Map(failure.reasons);
            expect(decision.type).toBe(first.type);
            if (decision.type === "none" && first.type === "none") expect(reasons(decision)).toEqual(reasons(first));
            continue;
          }
          expect(decision).toEqual(first);
          reused++;
          const bound = { ...made, spec: { ...made.spec, nodeName: decision.node } } as Pod;
          placed.set(bound.metadata.uid ?? "", bound);
          state.setPod(bound);
        } else {
          const uid = [...placed.keys()][each.which % Math.max(1, placed.size)] ?? "";
          const one = placed.get(uid);
          if (one === undefined) continue;
          placed.delete(uid);
          if (each.type === "removed") {
            state.removePod(uid);
          } else {
            const left = { ...one, metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
            placed.set(uid, left);
            state.setPod(left);
          }
        }
      }
    }),
  );
  expect(reused).toBeGreaterThan(100);
});

test("a node is asked once for pods that are alike, and again after it has changed", () => {
  const state = cluster([node("a"), node("b")]);
  const answers = new Answers();
  const asked: string[] = [];
  const filter = {
    name: "Asked",
    isOfNode: true,
    prepare: () => (one: { readonly name: string }) => void asked.push(one.name),
    mayFitAfter: () => true,
  };
  const place = (): void => {
    choose(podInfo(pod()), state, { random: seededRandom(1), filters: [filter], answers });
  };
  place();
  place();
  expect(asked).toEqual(["a", "b"]);
  state.setPod(pod({ on: "b" }));
  place();
  expect(asked).toEqual(["a", "b", "b"]);
});
