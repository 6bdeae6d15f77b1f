/**
 * Corner cases of ReplicaSets and ReplicationControllers: pods that change owners, sets that want the same pods,
 * used-up quotas.
 */
import { ConfigMap, Pod, ReplicaSet, ReplicationController, ResourceQuota } from "../../../../../src/api/index.js";
import type { Scenario } from "../../scenario.js";
import { hasReplicas, template } from "../shapes.js";

const set = (name: string, replicas: number, labels: Readonly<Record<string, string>> = { app: "a" }) => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: labels }, template: template({ labels }) },
});

const cost = (text: string) => ({ metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": text } } });

export const replicaSetCorners: readonly Scenario[] = [
  {
    name: "replicaset-pod-changes-hands",
    async run(stage) {
      await stage.create(ReplicaSet, set("web", 1));
      await stage.create(ReplicaSet, set("db", 1, { app: "b" }));
      await stage.until(ReplicaSet, "web", hasReplicas(1));
      await stage.until(ReplicaSet, "db", hasReplicas(1));
      const [[mover], [stayer]] = await Promise.all([stage.pods("app=a"), stage.pods("app=b")]);
      await stage.patch(Pod, stayer?.metadata.name ?? "", cost("-1"));
      await stage.quiet();
      await stage.patch(Pod, mover?.metadata.name ?? "", { metadata: { labels: { app: "b" } } });
      await stage.gone(Pod, stayer?.metadata.name ?? "");
      await stage.until(ReplicaSet, "web", hasReplicas(1));
    },
  },
  {
    name: "replicasets-alike",
    async run(stage) {
      await stage.create(ReplicaSet, set("web", 2));
      await stage.until(ReplicaSet, "web", hasReplicas(2));
      // which of several equal ones will go is left to chance
      for (const { metadata } of await stage.pods()) await stage.patch(Pod, metadata.name, cost("-1"));
      await stage.create(ReplicaSet, set("twin", 1));
      await stage.until(ReplicaSet, "twin", hasReplicas(1));
      await stage.checkpoint("both");
      await stage.of(ReplicaSet).delete("web", { propagationPolicy: "Orphan" });
      await stage.gone(ReplicaSet, "web");
      await stage.quiet();
      await stage.until(ReplicaSet, "twin", hasReplicas(1));
    },
  },
  {
    name: "replicaset-others-pods",
    async run(stage) {
      const { metadata } = await stage.create(ConfigMap, { metadata: { name: "owner" } });
      const { uid = "" } = metadata;
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, controller: true };
      const { metadata: of, spec } = template();
      await stage.create(Pod, { metadata: { ...of, name: "theirs", ownerReferences: [owner] }, spec });
      await stage.create(Pod, {
        metadata: { ...of, name: "shared", ownerReferences: [{ ...owner, controller: false }] },
        spec,
      });
      await stage.quiet();
      await stage.create(ReplicaSet, set("web", 2));
      await stage.until(ReplicaSet, "web", hasReplicas(2));
      await stage.checkpoint("one adopted");
      await stage.patch(Pod, "shared", { metadata: { labels: { app: "free" } } });
      await stage.quiet();
      await stage.until(ReplicaSet, "web", hasReplicas(2));
    },
  },
  {
    name: "replicaset-new-template",
    async run(stage) {
      await stage.create(ReplicaSet, set("web", 2));
      await stage.until(ReplicaSet, "web", hasReplicas(2));
      await stage.patch(ReplicaSet, "web", {
        spec: { template: { metadata: { labels: { app: "a", tier: "x" } }, spec: template({ image: "two" }).spec } },
      });
      await stage.checkpoint("changed");
      const [first] = await stage.pods("app=a");
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(ReplicaSet, "web", hasReplicas(2));
    },
  },
  {
    name: "replicaset-terminating",
    async run(stage) {
      const { metadata, spec } = set("web", 2);
      const slow = template({ life: { "stop-after": "4s" }, spec: { terminationGracePeriodSeconds: 30 } });
      await stage.create(ReplicaSet, { metadata, spec: { ...spec, template: slow } });
      await stage.until(ReplicaSet, "web", hasReplicas(2));
      await stage.patch(ReplicaSet, "web", { spec: { replicas: 0 } });
      await stage.until(ReplicaSet, "web", (one) => one?.status?.terminatingReplicas === 2);
      await stage.until(ReplicaSet, "web", (one) => one?.status?.terminatingReplicas === 0);
    },
  },
  ...([ReplicaSet, ReplicationController] as const).map(
    (type): Scenario => ({
      name: `${type.kind.toLowerCase()}-quota`,
      loose: true,
      async run(stage) {
        await stage.create(ResourceQuota, { metadata: { name: "two" }, spec: { hard: { pods: "2" } } });
        await stage.until(ResourceQuota, "two", (one) => one?.status?.hard?.["pods"] === "2");
        const { metadata, spec } = set("web", 3);
        const selector = type === ReplicaSet ? spec.selector : spec.selector.matchLabels;
        await stage.create(type as typeof ReplicaSet, { metadata, spec: { ...spec, selector } as typeof spec });
        const failed = (one: ReplicaSet | undefined) => (one?.status?.conditions ?? []).length > 0;
        await stage.until(type as typeof ReplicaSet, "web", failed);
        await stage.patch(type as typeof ReplicaSet, "web", { spec: { replicas: 2 } });
        await stage.until(type as typeof ReplicaSet, "web", (one) => !failed(one) && hasReplicas(2)(one));
      },
    }),
  ),
];
