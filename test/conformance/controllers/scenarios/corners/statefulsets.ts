/** Corner cases of StatefulSets: pods that block the others, claims that change owners, ordinals that move, taken names. */
import {
  ControllerRevision,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  StatefulSet,
  type StatefulSetSpec,
} from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { hasReplicas, selector, template, type TemplateOptions } from "../shapes.js";

const stateful = (spec: Partial<StatefulSetSpec> = {}, options: TemplateOptions = {}) => ({
  metadata: { name: "db" },
  spec: { replicas: 3, serviceName: "db", selector, template: template(options), ...spec },
});

const parallel = { podManagementPolicy: "Parallel" } as const;

const to = (image: string, ready = true) => ({
  spec: {
    template: {
      metadata: { annotations: ready ? null : { "coxswain.dev/ready": "false" } },
      spec: { containers: [{ name: "c", image }] },
    },
  },
});

const update = (stage: Stage, patch: unknown): Promise<void> => stage.patch(StatefulSet, "db", patch);
const has = (stage: Stage, count: number): Promise<void> => stage.until(StatefulSet, "db", hasReplicas(count));
const readiness = (stage: Stage, pod: string, ready: boolean): Promise<void> =>
  stage.patch(Pod, pod, { metadata: { annotations: { "coxswain.dev/ready": ready ? null : "false" } } });
const readyReplicas = (stage: Stage, count: number): Promise<void> =>
  stage.until(StatefulSet, "db", (one) => (one?.status?.readyReplicas ?? 0) === count);
const allUpdated = (stage: Stage): Promise<void> =>
  stage.until(
    StatefulSet,
    "db",
    (one) => hasReplicas(one?.spec?.replicas ?? 0)(one) && one?.status?.currentRevision === one?.status?.updateRevision,
  );

const volumeClaimTemplates = [
  {
    metadata: { name: "data", labels: { tier: "x" } },
    spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
  },
];

const retention = (whenDeleted: "Retain" | "Delete", whenScaled: "Retain" | "Delete") => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
});

export const statefulSetCorners: readonly Scenario[] = [
  {
    name: "statefulset-stuck-update",
    async run(stage) {
      await stage.create(StatefulSet, stateful());
      await has(stage, 3);
      await update(stage, to("two", false));
      await stage.until(StatefulSet, "db", (one) => one?.status?.updatedReplicas === 1);
      await stage.until(Pod, "db-2", (pod) => pod?.status?.phase === "Running");
      await stage.checkpoint("stuck");
      await update(stage, to("one"));
      await stage.checkpoint("back, and still stuck");
      await stage.of(Pod).delete("db-2");
      await allUpdated(stage);
    },
  },
  {
    name: "statefulset-unready-scale-down",
    async run(stage) {
      await stage.create(StatefulSet, stateful());
      await has(stage, 3);
      await readiness(stage, "db-1", false);
      await readyReplicas(stage, 2);
      await update(stage, { spec: { replicas: 2 } });
      await stage.checkpoint("waits for one that stays");
      await update(stage, { spec: { replicas: 1 } });
      await has(stage, 1);
    },
  },
  {
    name: "statefulset-unready-scale-up",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2 }));
      await has(stage, 2);
      await readiness(stage, "db-0", false);
      await readyReplicas(stage, 1);
      await update(stage, { spec: { replicas: 4 } });
      await stage.checkpoint("waits");
      await readiness(stage, "db-0", true);
      await has(stage, 4);
    },
  },
  {
    name: "statefulset-parallel-update",
    async run(stage) {
      await stage.create(StatefulSet, stateful(parallel));
      await has(stage, 3);
      await readiness(stage, "db-0", false);
      await readyReplicas(stage, 2);
      await update(stage, to("two"));
      await allUpdated(stage);
      await stage.checkpoint("updated");
      await update(stage, to("three", false));
      await stage.until(
        Pod,
        "db-2",
        (pod) => pod?.spec?.containers[0]?.image === "three" && pod.status?.phase === "Running",
      );
      await stage.checkpoint("stuck");
      await update(stage, to("two"));
      await allUpdated(stage);
    },
  },
  {
    name: "statefulset-parallel-failed-pod",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ ...parallel, replicas: 2 }));
      await has(stage, 2);
      await stage.of(Pod).status.patch("db-0", { strategic: { status: { phase: "Failed" } } });
      await update(stage, { spec: { replicas: 3 } });
      await has(stage, 3);
    },
  },
  {
    name: "statefulset-partition-scale",
    async run(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } } as const;
      await stage.create(StatefulSet, stateful({ replicas: 2, updateStrategy, ordinals: { start: 3 } }));
      await has(stage, 2);
      await update(stage, to("two"));
      await stage.until(StatefulSet, "db", (one) => one?.status?.updatedReplicas === 1 && hasReplicas(2)(one));
      await update(stage, { spec: { replicas: 3 } });
      await has(stage, 3);
      await stage.checkpoint("grown");
      await update(stage, { spec: { replicas: 0 } });
      await has(stage, 0);
      await stage.checkpoint("none");
      await update(stage, { spec: { replicas: 2 } });
      await has(stage, 2);
    },
  },
  {
    name: "statefulset-plain-rolling",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ updateStrategy: { type: "RollingUpdate" } }));
      await has(stage, 3);
      await update(stage, to("two", false));
      await stage.until(Pod, "db-2", (pod) => pod?.spec?.containers[0]?.image === "two");
      await stage.checkpoint("stuck");
      await stage.of(Pod).delete("db-0");
      await stage.checkpoint("old one back");
      await update(stage, to("three"));
      await stage.of(Pod).delete("db-2");
      await allUpdated(stage);
    },
  },
  {
    name: "statefulset-moved",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2 }));
      await has(stage, 2);
      await update(stage, { spec: { ordinals: { start: 1 } } });
      await stage.gone(Pod, "db-0");
      await has(stage, 2);
      await stage.checkpoint("by one");
      await update(stage, { spec: { ordinals: { start: 7 } } });
      await stage.gone(Pod, "db-1");
      await has(stage, 2);
    },
  },
  {
    name: "statefulset-min-ready",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2, minReadySeconds: 2 }));
      await has(stage, 2);
      await update(stage, to("two"));
      await allUpdated(stage);
    },
  },
  {
    name: "statefulset-short-history",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 1, revisionHistoryLimit: 1 }));
      await has(stage, 1);
      for (const image of ["two", "three", "four"]) {
        await update(stage, to(image));
        await allUpdated(stage);
        await stage.quiet();
      }
      await stage.checkpoint("one");
      await update(stage, { spec: { revisionHistoryLimit: 0 } });
    },
  },
  {
    name: "statefulset-collision",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 1 }));
      await has(stage, 1);
      const [revision] = (await stage.of(ControllerRevision).list()).items;
      const name = revision?.metadata.name ?? "";
      await stage.of(StatefulSet).delete("db", { propagationPolicy: "Foreground" });
      await stage.gone(StatefulSet, "db");
      // a set that leaves may have made it once more
      await stage.quiet();
      await stage.gone(ControllerRevision, name);
      await stage.create(ControllerRevision, { metadata: { name }, revision: 7, data: { other: true } } as never);
      await stage.quiet();
      await stage.create(StatefulSet, stateful({ replicas: 1 }));
      await has(stage, 1);
    },
  },
  {
    name: "statefulset-name-taken",
    async run(stage) {
      const { metadata, spec } = template({ labels: { app: "free" } });
      await stage.create(Pod, { metadata: { ...metadata, name: "db-1" }, spec });
      await stage.quiet();
      await stage.create(StatefulSet, stateful({ replicas: 2 }));
      await has(stage, 1);
      await stage.checkpoint("waits");
      await stage.of(Pod).delete("db-1");
      await has(stage, 2);
    },
  },
  {
    name: "statefulset-adopts-bare-pod",
    async run(stage) {
      const { metadata, spec } = template();
      await stage.create(Pod, { metadata: { ...metadata, name: "db-0" }, spec });
      await stage.create(Pod, { metadata: { ...metadata, name: "db-x" }, spec });
      await stage.quiet();
      await stage.create(StatefulSet, stateful({ replicas: 2, updateStrategy: { type: "OnDelete" } }));
      await has(stage, 2);
    },
  },
  {
    name: "statefulset-refused-pods",
    loose: true,
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2 }, { spec: { serviceAccountName: "missing" } }));
      await stage.until(StatefulSet, "db", (one) => one?.status?.observedGeneration === 1);
      await stage.pause(3_000);
    },
  },
  {
    name: "statefulset-refused-claims",
    loose: true,
    async run(stage) {
      const hard = { persistentvolumeclaims: "1" };
      await stage.create(ResourceQuota, { metadata: { name: "one" }, spec: { hard } });
      await stage.until(ResourceQuota, "one", (one) => one?.status?.hard?.["persistentvolumeclaims"] === "1");
      await stage.create(StatefulSet, stateful({ replicas: 2, volumeClaimTemplates }));
      await stage.until(PersistentVolumeClaim, "data-db-0", (claim) => claim !== undefined);
      await stage.pause(5_000);
    },
  },
  {
    name: "statefulset-claim-leaves",
    loose: true,
    async run(stage) {
      await stage.create(PersistentVolumeClaim, {
        metadata: { name: "data-db-0", finalizers: ["example.com/hold"] },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      await stage.of(PersistentVolumeClaim).delete("data-db-0");
      await stage.quiet();
      await stage.create(StatefulSet, stateful({ replicas: 1, volumeClaimTemplates }));
      await stage.pause(3_000);
      await stage.patch(PersistentVolumeClaim, "data-db-0", { metadata: { finalizers: null } });
      await has(stage, 1);
    },
  },
  {
    name: "statefulset-retention-changes",
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 2, volumeClaimTemplates }));
      await has(stage, 2);
      await stage.checkpoint("kept");
      await update(stage, { spec: retention("Delete", "Retain") });
      await stage.checkpoint("with the set");
      await update(stage, { spec: retention("Delete", "Delete") });
      await stage.quiet();
      await update(stage, { spec: { replicas: 1 } });
      await stage.gone(PersistentVolumeClaim, "data-db-1");
      await stage.checkpoint("one gone");
      await update(stage, { spec: { ...retention("Retain", "Delete"), replicas: 2 } });
      await has(stage, 2);
      await stage.checkpoint("back");
      await update(stage, { spec: retention("Retain", "Retain") });
      await stage.quiet();
      await update(stage, { spec: { replicas: 0 } });
      await has(stage, 0);
    },
  },
  {
    name: "statefulset-claim-of-another",
    loose: true,
    async run(stage) {
      await stage.create(StatefulSet, stateful({ replicas: 1, volumeClaimTemplates }));
      await has(stage, 1);
      const pod = await stage.create(Pod, {
        metadata: { name: "owner", labels: { app: "free" } },
        spec: template().spec,
      });
      const { uid = "" } = pod.metadata;
      const owner = { apiVersion: "v1", kind: "Pod", name: "owner", uid, controller: true };
      await stage.patch(PersistentVolumeClaim, "data-db-0", { metadata: { ownerReferences: [owner] } });
      await stage.quiet();
      await update(stage, { spec: retention("Delete", "Delete") });
      await stage.checkpoint("left alone");
      await update(stage, { spec: { replicas: 0 } });
      await has(stage, 0);
    },
  },
];
