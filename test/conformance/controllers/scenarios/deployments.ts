/** Deployments: scenarios that are played with our controllers and with the real ones. */
import { Deployment, type DeploymentStrategy, type IntOrString, Pod, ReplicaSet } from "../../../../src/api/index.js";
import type { Scenario } from "../scenario.js";
import { conditionReason, deployment, hasReplicas, hasRolledOut, isTrue, selector, template } from "./shapes.js";

const rolling = (maxSurge: IntOrString, maxUnavailable: IntOrString): DeploymentStrategy => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});

const images = (image: string) => ({ spec: { template: { spec: { containers: [{ name: "c", image }] } } } });

export const deployments: readonly Scenario[] = [
  {
    name: "deployment-create-scale",
    async run(stage) {
      await stage.create(Deployment, deployment({}, { labels: { app: "a", tier: "front" } }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("created");
      await stage.patch(Deployment, "web", { spec: { replicas: 5 } });
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", { spec: { replicas: 1 } });
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("small");
      await stage.patch(Deployment, "web", { spec: { replicas: 0 } });
      await stage.until(
        Deployment,
        "web",
        (one) => one?.status?.observedGeneration === one?.metadata.generation && (one?.status?.replicas ?? 0) === 0,
      );
    },
  },
  {
    name: "deployment-rolling",
    async run(stage) {
      const strategy = rolling(1, 0);
      await stage.create(Deployment, {
        ...deployment({ strategy }),
        metadata: { name: "web", annotations: { note: "x" } },
      });
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", images("two"));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("updated");
      await stage.patch(Deployment, "web", {
        ...images("three"),
        metadata: { annotations: { note: "y", "kubernetes.io/change-cause": "three" } },
      });
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.quiet();
      // as `kubectl rollout undo` does
      await stage.patch(Deployment, "web", images("one"));
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-defaults-rolling",
    loose: true,
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 8, revisionHistoryLimit: 1 }));
      await stage.until(Deployment, "web", hasRolledOut);
      for (const image of ["two", "three", "four"]) {
        await stage.patch(Deployment, "web", images(image));
        await stage.until(Deployment, "web", hasRolledOut);
        await stage.quiet();
      }
    },
  },
  {
    name: "deployment-unavailable-rolling",
    loose: true,
    async run(stage) {
      const strategy = rolling(0, "50%");
      await stage.create(Deployment, deployment({ replicas: 4, strategy, minReadySeconds: 1 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("created");
      await stage.patch(Deployment, "web", images("two"));
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-failed-rollout",
    async run(stage) {
      await stage.create(Deployment, deployment({ progressDeadlineSeconds: 3 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.of(Deployment).patch("web", {
        merge: {
          spec: {
            template: {
              metadata: { annotations: { "coxswain.dev/ready": "false" } },
              spec: { containers: [{ name: "c", image: "two" }] },
            },
          },
        },
      });
      await stage.until(Deployment, "web", (one) => conditionReason(one, "Progressing") === "ProgressDeadlineExceeded");
      await stage.checkpoint("stuck");
      await stage.of(Deployment).patch("web", {
        merge: {
          spec: { template: { metadata: { annotations: null }, spec: { containers: [{ name: "c", image: "one" }] } } },
        },
      });
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-never-available",
    async run(stage) {
      await stage.create(
        Deployment,
        deployment({ progressDeadlineSeconds: 2, replicas: 2 }, { life: { "image-pull": "fail" } }),
      );
      await stage.until(Deployment, "web", (one) => conditionReason(one, "Progressing") === "ProgressDeadlineExceeded");
    },
  },
  {
    name: "deployment-no-deadline",
    async run(stage) {
      await stage.create(Deployment, deployment({ progressDeadlineSeconds: 2_147_483_647 }));
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-paused",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", { spec: { paused: true } });
      await stage.checkpoint("paused");
      await stage.patch(Deployment, "web", { spec: { replicas: 3, ...images("two").spec } });
      await stage.until(Deployment, "web", (one) => one?.status?.availableReplicas === 3);
      await stage.checkpoint("changed");
      await stage.patch(Deployment, "web", { spec: { paused: null } });
      await stage.until(Deployment, "web", hasRolledOut);
    },
    loose: true,
  },
  {
    name: "deployment-born-paused",
    async run(stage) {
      await stage.create(Deployment, deployment({ paused: true }));
      await stage.until(Deployment, "web", (one) => one?.status?.observedGeneration === 1);
    },
  },
  {
    name: "deployment-recreate",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2, strategy: { type: "Recreate" } }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", images("two"));
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-proportional",
    loose: true,
    async run(stage) {
      const strategy = rolling(3, 2);
      await stage.create(Deployment, deployment({ replicas: 10, strategy }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", {
        spec: {
          template: {
            metadata: { annotations: { "coxswain.dev/ready": "false" } },
            spec: { containers: [{ name: "c", image: "two" }] },
          },
        },
      });
      await stage.until(Deployment, "web", (one) => one?.status?.updatedReplicas === 5);
      await stage.checkpoint("half");
      await stage.patch(Deployment, "web", { spec: { replicas: 15 } });
      await stage.until(Deployment, "web", (one) => one?.status?.replicas === 18);
      await stage.checkpoint("larger");
      await stage.patch(Deployment, "web", { spec: { replicas: 5 } });
      await stage.until(Deployment, "web", (one) => one?.status?.replicas === 8);
    },
  },
  {
    name: "deployment-adopts-releases",
    async run(stage) {
      const labels = { app: "a", "pod-template-hash": "old" };
      await stage.create(ReplicaSet, {
        metadata: { name: "web-old", labels },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: template({ labels }) },
      });
      await stage.until(ReplicaSet, "web-old", hasReplicas(2));
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("adopted");
      await stage.patch(ReplicaSet, "web-old", { metadata: { labels: { app: "b" } } });
      await stage.quiet();
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-orphaned",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.of(Deployment).delete("web", { propagationPolicy: "Orphan" });
      await stage.gone(Deployment, "web");
      await stage.checkpoint("orphaned");
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-pods-deleted",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", (one) => isTrue(one, "Available"));
      await stage.until(Deployment, "web", hasRolledOut);
      const [first] = await stage.pods();
      await stage.of(Pod).delete(first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
  {
    name: "deployment-rollback-annotation",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 1 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", images("two"));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", { metadata: { annotations: { "deprecated.deployment.rollback.to": "1" } } });
      await stage.quiet();
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.patch(Deployment, "web", { metadata: { annotations: { "deprecated.deployment.rollback.to": "9" } } });
    },
  },
  {
    name: "deployment-refused-pods",
    async run(stage) {
      const limits = { requests: { cpu: "1" } };
      const spec = { containers: [{ name: "c", image: "one", resources: limits }] };
      await stage.create(
        Deployment,
        deployment({ replicas: 2, selector }, { spec: { ...spec, serviceAccountName: "missing" } }),
      );
      await stage.until(Deployment, "web", (one) => isTrue(one, "ReplicaFailure"));
    },
    loose: true,
  },
];
