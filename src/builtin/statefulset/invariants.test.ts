import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pod, StatefulSet, StatefulSetSpec } from "../../api/index.js";
import { planStatefulSet, type StatefulAction } from "./plan.js";

const now = Date.parse("2026-01-01T01:00:00Z");

interface SimulatedPod {
  readonly revision: string;
  readonly phase: "Pending" | "Running" | "Failed";
  readonly ready: boolean;
  readonly leaving: boolean;
}

/** A set and its pods, as a cluster would have them; nothing happens unless the test asks for it. */
class World {
  replicas = 3;
  partition = 0;
  update = "v1";
  current = "v1";
  readonly pods = new Map<number, SimulatedPod>();
  readonly #spec: Partial<StatefulSetSpec>;

  constructor(spec: Partial<StatefulSetSpec>) {
    this.#spec = spec;
  }

  set(): StatefulSet {
    return {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "db", uid: "sts" },
      spec: {
        selector: {},
        template: {},
        replicas: this.replicas,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: this.partition } },
        ...this.#spec,
      },
    };
  }

  plan(): readonly StatefulAction[] {
    const pods = [...this.pods].map(([ordinal, pod]) => podOf(ordinal, pod));
    const observed = { set: this.set(), pods, currentRevision: this.current, updateRevision: this.update };
    return planStatefulSet({ ...observed, claim: () => undefined }, now);
  }

  carryOut(actions: readonly StatefulAction[]): void {
    for (const action of actions) {
      if (action.type === "create") {
        const revision = action.revision === "update" ? this.update : this.current;
        this.pods.set(action.ordinal, { revision, phase: "Pending", ready: false, leaving: false });
      } else if (action.type === "delete") {
        const ordinal = Number(action.pod.metadata.name.slice(3));
        this.pods.set(ordinal, { ...(this.pods.get(ordinal) as SimulatedPod), leaving: true });
      }
    }
  }

  /** A kubelet's action on one pod. */
  live(ordinal: number, what: "start" | "unready" | "fail" | "end"): void {
    const pod = this.pods.get(ordinal);
    if (pod === undefined) return;
    if (what === "end" && pod.leaving) this.pods.delete(ordinal);
    else if (what === "start" && pod.phase !== "Failed")
      this.pods.set(ordinal, { ...pod, phase: "Running", ready: true });
    else if (what === "unready") this.pods.set(ordinal, { ...pod, ready: false });
    else if (what === "fail") this.pods.set(ordinal, { ...pod, phase: "Failed", ready: false });
  }

  isWell(ordinal: number): boolean {
    const pod = this.pods.get(ordinal);
    return pod !== undefined && pod.phase === "Running" && pod.ready && !pod.leaving;
  }
}

function podOf(ordinal: number, { revision, phase, ready, leaving }: SimulatedPod): Pod {
  const name = `db-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { "controller-revision-hash": revision, "statefulset.kubernetes.io/pod-name": name },
      ...(leaving ? { deletionTimestamp: "2026-01-01T00:59:00Z" } : {}),
    },
    status: {
      phase,
      conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] : [],
    },
  };
}

type Step =
  | { readonly type: "sync" }
  | { readonly type: "live"; readonly ordinal: number; readonly what: "start" | "unready" | "fail" | "end" }
  | { readonly type: "scale"; readonly replicas: number }
  | { readonly type: "update"; readonly revision: string; readonly partition: number };

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant("sync" as const) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant("live" as const),
        ordinal: fc.integer({ min: 0, max: 4 }),
        what: fc.constantFrom("start" as const, "start" as const, "unready" as const, "fail" as const, "end" as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant("scale" as const), replicas: fc.integer({ min: 0, max: 5 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("update" as const),
        revision: fc.constantFrom("v1", "v2", "v3"),
        partition: fc.integer({ min: 0, max: 3 }),
      }),
    },
  ),
  { maxLength: 60 },
);

function take(world: World, step: Step, check: (actions: readonly StatefulAction[]) => void): void {
  if (step.type === "sync") {
    const actions = world.plan();
    check(actions);
    world.carryOut(actions);
  } else if (step.type === "live") world.live(step.ordinal, step.what);
  else if (step.type === "scale") world.replicas = step.replicas;
  else {
    world.update = step.revision;
    world.partition = step.partition;
  }
}

/** Everything that is made runs, and everything that leaves is gone, until nothing is to be done. */
function settle(world: World): void {
  for (let round = 0; round < 200; round++) {
    for (const ordinal of world.pods.keys()) {
      world.live(ordinal, "end");
      world.live(ordinal, "start");
    }
    const actions = world.plan().filter(({ type }) => type !== "ensure-claims");
    if (actions.length === 0) return;
    world.carryOut(actions);
  }
  throw new Error("never settles");
}

const ended = (world: World): void => {
  expect([...world.pods.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: world.replicas }, (_, i) => i));
  for (const [ordinal, { revision }] of world.pods) if (ordinal >= world.partition) expect(revision).toBe(world.update);
};

describe("whatever happens to its pods, a set", () => {
  test("in order touches one at a time, makes none before all below are well, and comes to its end", () => {
    fc.assert(
      fc.property(steps, (life) => {
        const world = new World({});
        for (const step of life) {
          take(world, step, (actions) => {
            const touching = actions.filter(({ type }) => type === "create" || type === "delete");
            expect(touching.length).toBeLessThanOrEqual(1);
            for (const action of touching) {
              const failed = action.type === "delete" && action.why === "failed";
              const ordinal = action.type === "create" ? action.ordinal : Number(action.pod.metadata.name.slice(3));
              const below = action.type === "create" || failed ? ordinal : world.replicas;
              for (let i = 0; i < Math.min(below, world.replicas); i++)
                if (i !== ordinal) expect(world.isWell(i)).toBe(true);
              if (action.type === "delete" && action.why === "scaled-down")
                expect(ordinal).toBe(Math.max(...world.pods.keys()));
            }
          });
        }
        settle(world);
        ended(world);
      }),
    );
  });

  test("in parallel never deletes what it wants and is up to date, and comes to its end", () => {
    fc.assert(
      fc.property(steps, (life) => {
        const world = new World({ podManagementPolicy: "Parallel" });
        for (const step of life) {
          take(world, step, (actions) => {
            const names = actions.flatMap((action) => (action.type === "delete" ? [action.pod.metadata.name] : []));
            expect(new Set(names).size).toBe(names.length);
            for (const action of actions) {
              if (action.type !== "delete" || action.why !== "outdated") continue;
              const ordinal = Number(action.pod.metadata.name.slice(3));
              expect(world.pods.get(ordinal)?.revision).not.toBe(world.update);
              expect(ordinal).toBeGreaterThanOrEqual(world.partition);
            }
          });
        }
        settle(world);
        ended(world);
      }),
    );
  });
});
