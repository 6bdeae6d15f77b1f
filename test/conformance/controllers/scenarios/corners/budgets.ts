/** Corner cases of disruption budgets: pods of several controllers, of none, of kinds that cannot be scaled; and evictions. */
import {
  CustomResourceDefinition,
  DaemonSet,
  defineResource,
  Deployment,
  type KubeObject,
  Pod,
  PodDisruptionBudget,
  ReplicationController,
  StatefulSet,
} from "../../../../../src/api/index.js";
import type { Scenario, Stage } from "../../scenario.js";
import { deployment, hasDaemons, hasReplicas, hasRolledOut, isTrue, selector, template } from "../shapes.js";

const budget = (spec: NonNullable<PodDisruptionBudget["spec"]>) => ({
  metadata: { name: "budget" },
  spec: { selector, ...spec },
});

async function evict(stage: Stage, name: string): Promise<void> {
  const metadata = { name, namespace: stage.namespace };
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata };
  await stage
    .of(Pod)
    .subresource("eviction")
    .create(name, eviction as never);
}

const Crew = defineResource<KubeObject>({
  group: "crew.example.com",
  version: "v1",
  kind: "Crew",
  plural: "crews",
  scope: "Namespaced",
});

/** A custom kind with a number of replicas, without a controller. */
async function installCrew(stage: Stage): Promise<void> {
  const spec = { type: "object", properties: { replicas: { type: "integer" } } };
  const status = { type: "object", properties: { replicas: { type: "integer" } } };
  const openAPIV3Schema = { type: "object", properties: { spec, status } };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  await stage.side.client.resource(CustomResourceDefinition).create({
    metadata: { name: "crews.crew.example.com" },
    spec: {
      group: "crew.example.com",
      names: { kind: "Crew", plural: "crews" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {}, scale } },
      ],
    },
  } as never);
  await stage.side.client
    .resource(CustomResourceDefinition)
    .waitFor("crews.crew.example.com", (one) =>
      (one?.status?.conditions ?? []).some(({ type, status: value }) => type === "Established" && value === "True"),
    );
}

async function readyPod(stage: Stage, name: string, owner?: object): Promise<void> {
  const { metadata, spec } = template();
  const ownerReferences = owner === undefined ? [] : [owner];
  await stage.create(Pod, { metadata: { ...metadata, name, ownerReferences } as never, spec });
  await stage.until(Pod, name, (pod) => isTrue(pod, "Ready"));
}

export const budgetCorners: readonly Scenario[] = [
  {
    name: "budget-several-controllers",
    async run(stage) {
      const db = { serviceName: "db", selector, template: template({ labels: { app: "a", of: "db" } }) };
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { replicas: 2, ...db } });
      await stage.create(Deployment, deployment({ replicas: 3 }));
      const old = {
        replicas: 1,
        selector: { app: "a", of: "old" },
        template: template({ labels: { app: "a", of: "old" } }),
      };
      await stage.create(ReplicationController, { metadata: { name: "old" }, spec: old });
      await stage.until(StatefulSet, "db", hasReplicas(2));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.until(ReplicationController, "old", (one) => one?.status?.readyReplicas === 1);
      await stage.quiet();
      await stage.create(PodDisruptionBudget, budget({ maxUnavailable: "50%" }));
      await stage.checkpoint("half");
      await stage.patch(PodDisruptionBudget, "budget", { spec: { maxUnavailable: null, minAvailable: "75%" } });
      await stage.checkpoint("three quarters");
      await stage.patch(PodDisruptionBudget, "budget", { spec: { minAvailable: 9 } });
      await stage.checkpoint("more than there are");
      await stage.patch(PodDisruptionBudget, "budget", {
        spec: { minAvailable: 1, selector: { matchLabels: { of: "db" } } },
      });
    },
  },
  {
    name: "budget-of-daemons",
    async run(stage) {
      const spec = { nodeSelector: { own: "corners" }, tolerations: [{ key: "own", operator: "Exists" as const }] };
      await stage.create(DaemonSet, { metadata: { name: "agent" }, spec: { selector, template: template({ spec }) } });
      await stage.until(DaemonSet, "agent", hasDaemons(2));
      await stage.quiet();
      await stage.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
      await stage.checkpoint("cannot be scaled");
      await stage.patch(PodDisruptionBudget, "budget", { spec: { maxUnavailable: null, minAvailable: 1 } });
    },
    loose: true,
  },
  {
    name: "budget-of-a-custom-kind",
    async run(stage) {
      await installCrew(stage);
      // the real one looks for new kinds twice a minute
      await stage.pause(35_000);
      const crew = await stage.create(Crew, { metadata: { name: "crew" }, spec: { replicas: 4 } } as never);
      const { uid = "" } = crew.metadata;
      const owner = { apiVersion: "crew.example.com/v1", kind: "Crew", name: "crew", uid, controller: true };
      await readyPod(stage, "one", owner);
      await readyPod(stage, "two", owner);
      await stage.create(PodDisruptionBudget, budget({ maxUnavailable: 3 }));
      await stage.checkpoint("four are wanted");
      await stage.patch(Crew, "crew", { spec: { replicas: 2 } });
      await stage.patch(PodDisruptionBudget, "budget", { spec: { maxUnavailable: 1 } });
      await stage.checkpoint("two are wanted");
    },
  },
  {
    name: "budget-says-nothing",
    async run(stage) {
      await readyPod(stage, "one");
      await stage.create(PodDisruptionBudget, { metadata: { name: "budget" }, spec: { selector } });
      await stage.create(PodDisruptionBudget, { metadata: { name: "everybody" }, spec: { minAvailable: 0 } });
    },
  },
  {
    name: "budget-ended-pods",
    async run(stage) {
      for (const name of ["one", "two", "three"]) await readyPod(stage, name);
      await stage.quiet();
      await stage.create(PodDisruptionBudget, budget({ minAvailable: 1 }));
      await stage.checkpoint("three");
      await stage.of(Pod).status.patch("one", { strategic: { status: { phase: "Failed" } } });
      await stage.quiet();
      await stage.patch(Pod, "two", { metadata: { annotations: { "coxswain.dev/ready": "false" } } });
      await stage.until(Pod, "two", (pod) => !isTrue(pod, "Ready"));
    },
  },
  {
    name: "budget-evictions",
    async run(stage) {
      const slow = { life: { "stop-after": "3s" }, spec: { terminationGracePeriodSeconds: 30 } };
      await stage.create(Deployment, deployment({ replicas: 3 }, slow));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
      await stage.until(PodDisruptionBudget, "budget", (one) => one?.status?.disruptionsAllowed === 1);
      await stage.quiet();
      const [first] = await stage.pods();
      await evict(stage, first?.metadata.name ?? "");
      await stage.gone(Pod, first?.metadata.name ?? "");
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.checkpoint("one went");
      const [sick] = await stage.pods();
      const name = sick?.metadata.name ?? "";
      await stage.patch(Pod, name, { metadata: { annotations: { "coxswain.dev/ready": "false" } } });
      await stage.until(PodDisruptionBudget, "budget", (one) => one?.status?.currentHealthy === 2);
      await stage.quiet();
      await evict(stage, name);
      await stage.gone(Pod, name);
      await stage.until(PodDisruptionBudget, "budget", (one) => one?.status?.disruptionsAllowed === 1);
    },
  },
];
