/** Corner cases of Deployments: stalled rollouts, taken names, cut histories, sizes that change on the way. */
import { Deployment, type DeploymentSpec, type IntOrString, Pod, ReplicaSet } from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { conditionReason, deployment, hasReplicas, hasRolledOut, template } from "../shapes.js";

const rolling = (maxSurge: IntOrString, maxUnavailable: IntOrString): Pick<DeploymentSpec, "strategy"> => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});

/** Another template: an image, and pods that are ready or never are. */
const to = (image: string, ready = true) => ({
  spec: {
    template: {
      metadata: { annotations: ready ? null : { "coxswain.dev/ready": "false" } },
      spec: { containers: [{ name: "c", image }] },
    },
  },
});

const update = (stage: Stage, patch: unknown): Promise<void> => stage.patch(Deployment, "web", patch);
const settled = (stage: Stage): Promise<void> => stage.until(Deployment, "web", hasRolledOut);
const rollbackTo = (revision: string) => ({
  metadata: { annotations: { "deprecated.deployment.rollback.to": revision } },
});

export const deploymentCorners: readonly Scenario[] = [
  {
    name: "deployment-no-history",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2, revisionHistoryLimit: 0, ...rolling(1, 0) }));
      await settled(stage);
      for (const image of ["two", "three"]) {
        await update(stage, to(image));
        await settled(stage);
        await stage.quiet();
      }
    },
  },
  {
    name: "deployment-collision",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 1 }));
      await settled(stage);
      const [set] = (await stage.of(ReplicaSet).list()).items;
      const name = set?.metadata.name ?? "";
      await stage.of(Deployment).delete("web", { propagationPolicy: "Foreground" });
      await stage.gone(Deployment, "web");
      const labels = { app: "b" };
      await stage.create(ReplicaSet, {
        metadata: { name, labels },
        spec: { replicas: 0, selector: { matchLabels: labels }, template: template({ image: "other", labels }) },
      });
      await stage.quiet();
      await stage.create(Deployment, deployment({ replicas: 1 }));
      await settled(stage);
    },
  },
  {
    name: "deployment-paused-midway",
    loose: true,
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 6, ...rolling(2, 1) }));
      await settled(stage);
      await update(stage, to("two", false));
      await stage.until(Deployment, "web", (one) => one?.status?.updatedReplicas === 3);
      await stage.quiet();
      await update(stage, { spec: { paused: true } });
      await stage.checkpoint("paused");
      await update(stage, { spec: { replicas: 12 } });
      await stage.checkpoint("larger");
      await update(stage, { spec: { replicas: 4 } });
      await stage.checkpoint("smaller");
      await update(stage, { spec: { ...to("three").spec, paused: null } });
      await settled(stage);
    },
  },
  {
    name: "deployment-surge-percent",
    loose: true,
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 3, ...rolling("100%", "0%") }));
      await settled(stage);
      await update(stage, to("two", false));
      await stage.until(Deployment, "web", (one) => one?.status?.updatedReplicas === 3);
      await stage.checkpoint("doubled");
      await update(stage, { spec: { strategy: { rollingUpdate: { maxSurge: "34%", maxUnavailable: "33%" } } } });
      await stage.checkpoint("other limits");
      await update(stage, to("three"));
      await settled(stage);
    },
  },
  {
    name: "deployment-failed-paused",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 1, progressDeadlineSeconds: 2, ...rolling(1, 0) }));
      await settled(stage);
      await update(stage, to("two", false));
      await stage.until(Deployment, "web", (one) => conditionReason(one, "Progressing") === "ProgressDeadlineExceeded");
      await update(stage, { spec: { paused: true } });
      await stage.checkpoint("paused");
      await update(stage, { spec: { paused: null } });
      await stage.checkpoint("resumed");
      const { items } = await stage.of(Pod).list();
      const waiting = items.find(({ metadata }) => metadata.annotations?.["coxswain.dev/ready"] === "false");
      await stage.patch(Pod, waiting?.metadata.name ?? "", {
        metadata: { annotations: { "coxswain.dev/ready": null } },
      });
      await settled(stage);
    },
  },
  {
    name: "deployment-unready-old",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 3, ...rolling(1, 1) }, { life: { ready: "false" } }));
      await stage.until(Deployment, "web", (one) => one?.status?.replicas === 3);
      await stage.checkpoint("unready");
      await update(stage, to("two"));
      await settled(stage);
    },
    loose: true,
  },
  {
    name: "deployment-to-recreate",
    loose: true,
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 3, ...rolling(1, 0) }));
      await settled(stage);
      await update(stage, to("two", false));
      await stage.until(Deployment, "web", (one) => one?.status?.updatedReplicas === 1);
      await stage.quiet();
      await update(stage, { spec: { strategy: { type: "Recreate", rollingUpdate: null } } });
      await stage.until(Deployment, "web", (one) => one?.status?.updatedReplicas === 3);
      await stage.checkpoint("recreated");
      await update(stage, { spec: { replicas: 1 } });
      await stage.until(Deployment, "web", (one) => one?.status?.replicas === 1);
      await update(stage, to("three"));
      await settled(stage);
    },
  },
  {
    name: "deployment-scaled-to-nothing",
    loose: true,
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 4, ...rolling(1, 1) }));
      await settled(stage);
      await update(stage, to("two", false));
      await stage.until(Deployment, "web", (one) => one?.status?.updatedReplicas === 2);
      await stage.quiet();
      await update(stage, { spec: { replicas: 0 } });
      await stage.until(Deployment, "web", (one) => (one?.status?.replicas ?? 0) === 0);
      await stage.checkpoint("nothing");
      await update(stage, { spec: { replicas: 2, ...to("two").spec } });
      await settled(stage);
    },
  },
  {
    name: "deployment-expressions",
    async run(stage) {
      const selector = { matchExpressions: [{ key: "app", operator: "In" as const, values: ["a", "z"] }] };
      await stage.create(Deployment, deployment({ replicas: 1, selector, ...rolling(1, 0) }));
      await settled(stage);
      await update(stage, { spec: { template: { metadata: { labels: { app: "z", tier: "x" } } } } });
      await settled(stage);
    },
  },
  {
    name: "deployment-rollbacks",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 1, ...rolling(1, 0) }));
      await settled(stage);
      await update(stage, rollbackTo("0"));
      await stage.checkpoint("nothing before");
      await update(stage, to("two"));
      await settled(stage);
      await stage.quiet();
      await update(stage, rollbackTo("2"));
      await stage.checkpoint("the same");
      await update(stage, rollbackTo("0"));
      await stage.quiet();
      await settled(stage);
    },
  },
  {
    name: "deployments-alike",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 1 }));
      await settled(stage);
      await stage.create(Deployment, { ...deployment({ replicas: 2 }, { image: "two" }), metadata: { name: "other" } });
      await stage.until(Deployment, "other", hasRolledOut);
      await stage.checkpoint("both");
      await stage.of(Deployment).delete("web", { propagationPolicy: "Orphan" });
      await stage.gone(Deployment, "web");
    },
  },
  {
    name: "deployment-set-scaled-by-hand",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await settled(stage);
      const [set] = (await stage.of(ReplicaSet).list()).items;
      const name = set?.metadata.name ?? "";
      await stage.patch(ReplicaSet, name, { spec: { replicas: 4 } });
      await stage.until(ReplicaSet, name, (one) => one?.metadata.generation === 3);
      await stage.until(ReplicaSet, name, hasReplicas(2));
      await stage.patch(ReplicaSet, name, { metadata: { annotations: { "deployment.kubernetes.io/revision": null } } });
    },
  },
];
