/** ReplicaSets and ReplicationControllers: scenarios that are played with our controllers and with the real ones. */
import { Pod, ReplicaSet, ReplicationController } from "../../../../src/api/index.js";
import type { Scenario, Stage } from "../scenario.js";
import { hasReplicas, selector, template, type TemplateOptions } from "./shapes.js";

const set = (replicas: number, options: TemplateOptions = {}) => ({
  metadata: { name: "web" },
  spec: { replicas, selector, template: template(options) },
});

/** A pod without a controller, of the given name. */
const loosePod = (name: string, options: TemplateOptions = {}) => {
  const { metadata, spec } = template(options);
  return { metadata: { ...metadata, name }, spec };
};

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === "Running";

async function startLoosePods(stage: Stage, pods: readonly ReturnType<typeof loosePod>[]): Promise<void> {
  for (const pod of pods) await stage.create(Pod, pod);
  for (const { metadata } of pods) await stage.until(Pod, metadata.name, isRunning);
}

export const replicaSets: readonly Scenario[] = [
  {
    name: "replicaset-scale",
    async run(stage) {
      await stage.create(ReplicaSet, set(3));
      await stage.until(ReplicaSet, "web", hasReplicas(3));
      await stage.checkpoint("created");
      await stage.patch(ReplicaSet, "web", { spec: { replicas: 1 } });
      await stage.until(ReplicaSet, "web", hasReplicas(1));
      await stage.patch(ReplicaSet, "web", { spec: { replicas: 0 } });
      await stage.until(ReplicaSet, "web", hasReplicas(0));
    },
  },
  {
    name: "replicaset-adopts-releases",
    async run(stage) {
      await startLoosePods(stage, [loosePod("first"), loosePod("second")]);
      await stage.quiet();
      await stage.create(ReplicaSet, set(3));
      await stage.until(ReplicaSet, "web", hasReplicas(3));
      await stage.checkpoint("adopted");
      await stage.patch(Pod, "first", { metadata: { labels: { app: "other" } } });
      await stage.quiet();
      await stage.until(ReplicaSet, "web", hasReplicas(3));
      await stage.checkpoint("released");
      // which of several equal ones would go is left to chance
      const cost = { "controller.kubernetes.io/pod-deletion-cost": "-1" };
      await stage.patch(Pod, "second", { metadata: { annotations: cost } });
      await stage.patch(Pod, "first", { metadata: { labels: { app: "a" } } });
      await stage.quiet();
      await stage.until(ReplicaSet, "web", hasReplicas(3));
    },
  },
  {
    name: "replicaset-adopts-too-many",
    async run(stage) {
      await startLoosePods(stage, [loosePod("first"), loosePod("unready", { life: { ready: "false" } })]);
      await stage.quiet();
      await stage.create(ReplicaSet, set(1));
      await stage.until(ReplicaSet, "web", hasReplicas(1));
      await stage.gone(Pod, "unready");
    },
  },
  {
    name: "replicaset-ranking",
    async run(stage) {
      const cheap = loosePod("cheap");
      const cost = { "controller.kubernetes.io/pod-deletion-cost": "-5" };
      await startLoosePods(stage, [
        loosePod("unready", { life: { ready: "false" } }),
        { ...cheap, metadata: { ...cheap.metadata, annotations: cost } } as never,
        loosePod("dear"),
      ]);
      await stage.create(Pod, loosePod("unscheduled", { spec: { nodeSelector: { no: "such" } } }));
      await stage.patch(Pod, "dear", {
        metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "7" } },
      });
      // a set that has not heard of a pod yet would make another
      await stage.quiet();
      await stage.create(ReplicaSet, set(4));
      await stage.until(ReplicaSet, "web", (one) => one?.status?.replicas === 4);
      await stage.quiet();
      for (const [replicas, victim] of [
        [3, "unscheduled"],
        [2, "unready"],
        [1, "cheap"],
      ] as const) {
        await stage.patch(ReplicaSet, "web", { spec: { replicas } });
        await stage.gone(Pod, victim);
      }
      await stage.until(ReplicaSet, "web", hasReplicas(1));
    },
  },
  {
    name: "replicaset-failed-pods",
    async run(stage) {
      await stage.create(ReplicaSet, set(2));
      await stage.until(ReplicaSet, "web", hasReplicas(2));
      const [first] = await stage.pods();
      await stage.of(Pod).status.patch(first?.metadata.name ?? "", {
        strategic: { status: { phase: "Failed", reason: "Evicted" } },
      });
      await stage.quiet();
      await stage.until(ReplicaSet, "web", hasReplicas(2));
    },
  },
  {
    name: "replicaset-min-ready",
    async run(stage) {
      const { metadata, spec } = set(2);
      await stage.create(ReplicaSet, { metadata, spec: { ...spec, minReadySeconds: 2 } });
      await stage.until(ReplicaSet, "web", hasReplicas(2));
    },
  },
  {
    name: "replicaset-refused-pods",
    loose: true,
    async run(stage) {
      await stage.create(ReplicaSet, set(2, { spec: { serviceAccountName: "missing" } }));
      await stage.until(ReplicaSet, "web", (one) => (one?.status?.conditions ?? []).length > 0);
      await stage.pause(3_000);
    },
  },
  {
    name: "replicationcontroller",
    async run(stage) {
      await startLoosePods(stage, [loosePod("first")]);
      await stage.quiet();
      const spec = { replicas: 2, selector: { app: "a" }, template: template() };
      await stage.create(ReplicationController, { metadata: { name: "web" }, spec });
      const has = (count: number) => (one: ReplicationController | undefined) =>
        (one?.status?.availableReplicas ?? 0) === count && (one?.status?.replicas ?? 0) === count;
      await stage.until(ReplicationController, "web", has(2));
      await stage.checkpoint("created");
      await stage.patch(ReplicationController, "web", { spec: { replicas: 3 } });
      await stage.until(ReplicationController, "web", has(3));
      await stage.patch(Pod, "first", { metadata: { labels: { app: "other" } } });
      await stage.quiet();
      await stage.until(ReplicationController, "web", has(3));
      await stage.patch(ReplicationController, "web", { spec: { replicas: 0 } });
      await stage.until(ReplicationController, "web", has(0));
      await stage.checkpoint("empty");
      await stage.of(ReplicationController).delete("web", { propagationPolicy: "Background" });
      await stage.gone(ReplicationController, "web");
    },
  },
];
