/** StatefulSets and their claims: scenarios that are played with our controllers and with the real ones. */
import { PersistentVolumeClaim, Pod, StatefulSet, type StatefulSetSpec } from "../../../../src/api/index.js";
import type { Scenario } from "../scenario.js";
import { hasReplicas, selector, template, type TemplateOptions } from "./shapes.js";

const stateful = (spec: Partial<StatefulSetSpec> = {}, options: TemplateOptions = {}) => ({
  metadata: { name: "db" },
  spec: { replicas: 3, serviceName: "db", selector, template: template(options), ...spec },
});

const images = (image: string) => ({ spec: { template: { spec: { containers: [{ name: "c", image }] } } } });

const hasUpdated = (one: StatefulSet | undefined): boolean =>
  hasReplicas(one?.spec?.replicas ?? 0)(one) && one?.status?.currentRevision === one?.status?.updateRevision;

const claims = [
  {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
  },
];

export const statefulSets: readonly Scenario[] = [
  {
    name: "statefulset-ordered",
    async run(stage) {
      await stage.create(StatefulSet, stateful());
      await stage.until(StatefulSet, "db", hasReplicas(3));
      await stage.checkpoint("created");
      await stage.patch(StatefulSet, "db", images("two"));
      await stage.until(StatefulSet, "db", hasUpdated);
      await stage.checkpoint("updated");
      await stage.patch(StatefulSet, "db", { spec: { replicas: 1 } });
      await stage.until(StatefulSet, "db", hasReplicas(1));
      await stage.checkpoint("small");
      await stage.patch(StatefulSet, "db", images("one"));
      await stage.until(StatefulSet, "db", hasUpdated);
    },
  },
  {
    name: "statefulset-parallel",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ podManagementPolicy: "Parallel", ordinals: { start: 5 } }));
      await stage.until(StatefulSet, "db", hasReplicas(3));
      await stage.patch(StatefulSet, "db", { spec: { replicas: 5 } });
      await stage.until(StatefulSet, "db", hasReplicas(5));
      await stage.patch(StatefulSet, "db", { spec: { replicas: 2 } });
      await stage.until(StatefulSet, "db", hasReplicas(2));
    },
  },
  {
    name: "statefulset-partition",
    async run(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } } as const;
      await stage.create(StatefulSet, stateful({ updateStrategy }));
      await stage.until(StatefulSet, "db", hasReplicas(3));
      await stage.patch(StatefulSet, "db", images("two"));
      await stage.until(StatefulSet, "db", (one) => one?.status?.updatedReplicas === 1 && hasReplicas(3)(one));
      await stage.checkpoint("part");
      await stage.of(Pod).delete("db-0");
      await stage.pause(500);
      await stage.until(StatefulSet, "db", hasReplicas(3));
      await stage.checkpoint("old one back");
      await stage.patch(StatefulSet, "db", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
      await stage.until(StatefulSet, "db", hasUpdated);
    },
  },
  {
    name: "statefulset-on-delete",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2, updateStrategy: { type: "OnDelete" } }));
      await stage.until(StatefulSet, "db", hasReplicas(2));
      await stage.patch(StatefulSet, "db", images("two"));
      await stage.checkpoint("changed");
      await stage.of(Pod).delete("db-1");
      await stage.until(StatefulSet, "db", (one) => one?.status?.updatedReplicas === 1 && hasReplicas(2)(one));
    },
  },
  {
    name: "statefulset-blocked",
    async run(stage) {
      await stage.create(StatefulSet, stateful({}, { life: { ready: "false" } }));
      await stage.until(Pod, "db-0", (pod) => pod?.status?.phase === "Running");
    },
  },
  {
    name: "statefulset-claims",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2, volumeClaimTemplates: claims }));
      await stage.until(PersistentVolumeClaim, "data-db-0", (claim) => claim !== undefined);
      await stage.checkpoint("created");
      await stage.of(StatefulSet).delete("db", { propagationPolicy: "Background" });
      await stage.untilPods("app=a", (pods) => pods.length === 0);
    },
  },
  {
    name: "statefulset-claims-retention",
    async run(stage) {
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Delete" } as const;
      const spec = {
        replicas: 2,
        podManagementPolicy: "Parallel",
        volumeClaimTemplates: claims,
        persistentVolumeClaimRetentionPolicy,
      } as const;
      await stage.create(StatefulSet, stateful(spec));
      await stage.until(PersistentVolumeClaim, "data-db-1", (claim) => claim !== undefined);
      await stage.checkpoint("created");
      await stage.patch(StatefulSet, "db", { spec: { replicas: 1 } });
      await stage.gone(Pod, "db-1");
      await stage.checkpoint("small");
      await stage.of(StatefulSet).delete("db", { propagationPolicy: "Background" });
      await stage.untilPods("app=a", (pods) => pods.length === 0);
    },
  },
  {
    name: "statefulset-failed-pod",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2, minReadySeconds: 1 }));
      await stage.until(StatefulSet, "db", hasReplicas(2));
      await stage.of(Pod).status.patch("db-0", { strategic: { status: { phase: "Failed" } } });
      await stage.pause(500);
      await stage.until(StatefulSet, "db", hasReplicas(2));
    },
  },
  {
    name: "statefulset-adopts",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2 }));
      await stage.until(StatefulSet, "db", hasReplicas(2));
      await stage.of(StatefulSet).delete("db", { propagationPolicy: "Orphan" });
      await stage.gone(StatefulSet, "db");
      await stage.checkpoint("orphaned");
      await stage.create(StatefulSet, stateful({ replicas: 2 }));
      await stage.until(StatefulSet, "db", hasReplicas(2));
      await stage.patch(Pod, "db-1", { metadata: { labels: { app: "other" } } });
    },
  },
];
