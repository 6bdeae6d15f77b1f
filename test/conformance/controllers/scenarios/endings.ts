/** Scenarios of endings: namespaces, owners and their dependents, service accounts; and budgets that keep pods from ending. */
import {
  ConfigMap,
  CustomResourceDefinition,
  defineResource,
  Deployment,
  Job,
  type KubeObject,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "../../../../src/api/index.js";
import type { Scenario, Stage } from "../scenario.js";
import { deployment, hasRolledOut, isTrue, job } from "./shapes.js";

const Widget = defineResource<KubeObject>({
  group: "diff.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
});

/** `child` belongs to `parent`. */
async function family(stage: Stage, block: boolean, finalizers: readonly string[] = []): Promise<void> {
  const parent = await stage.create(ConfigMap, { metadata: { name: "parent" } });
  const { uid = "" } = parent.metadata;
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "parent", uid, blockOwnerDeletion: block };
  await stage.create(ConfigMap, { metadata: { name: "child", ownerReferences: [owner], finalizers } });
  await stage.quiet();
}

const budget = (spec: NonNullable<PodDisruptionBudget["spec"]>) => ({
  metadata: { name: "budget" },
  spec: { selector: { matchLabels: { app: "a" } }, ...spec },
});

/** A Deployment of four, with this budget. */
const guarded = (name: string, spec: NonNullable<PodDisruptionBudget["spec"]>): Scenario => ({
  name,
  async run(stage) {
    await stage.create(PodDisruptionBudget, budget(spec));
    await stage.checkpoint("no pods");
    await stage.create(Deployment, deployment({ replicas: 4 }));
    await stage.until(Deployment, "web", hasRolledOut);
    await stage.checkpoint("pods");
    await stage.patch(Deployment, "web", { spec: { replicas: 1 } });
    await stage.until(Deployment, "web", hasRolledOut);
  },
});

export const endings: readonly Scenario[] = [
  ...(["Background", "Foreground", "Orphan"] as const).map(
    (propagationPolicy): Scenario => ({
      name: `cascade-${propagationPolicy.toLowerCase()}`,
      async run(stage) {
        await stage.create(Deployment, deployment({ replicas: 2 }));
        await stage.until(Deployment, "web", hasRolledOut);
        await stage.of(Deployment).delete("web", { propagationPolicy });
        await stage.gone(Deployment, "web");
        if (propagationPolicy !== "Orphan") await stage.untilPods("", (pods) => pods.length === 0);
      },
    }),
  ),
  {
    name: "cascade-blocked",
    async run(stage) {
      await family(stage, true, ["example.com/hold"]);
      await stage.of(ConfigMap).delete("parent", { propagationPolicy: "Foreground" });
      await stage.checkpoint("held");
      await stage.patch(ConfigMap, "child", { metadata: { finalizers: null } });
      await stage.gone(ConfigMap, "parent");
    },
  },
  {
    name: "cascade-not-blocked",
    async run(stage) {
      await family(stage, false, ["example.com/hold"]);
      await stage.of(ConfigMap).delete("parent", { propagationPolicy: "Foreground" });
      await stage.gone(ConfigMap, "parent");
    },
  },
  {
    name: "cascade-two-owners",
    async run(stage) {
      const owners = await Promise.all(["a", "b"].map((name) => stage.create(ConfigMap, { metadata: { name } })));
      const ownerReferences = owners.map(({ metadata: { name, uid = "" } }) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name,
        uid,
      }));
      await stage.create(Secret, { metadata: { name: "child", ownerReferences } });
      await stage.quiet();
      await stage.of(ConfigMap).delete("a");
      await stage.checkpoint("one left");
      await stage.of(ConfigMap).delete("b");
      await stage.gone(Secret, "child");
    },
  },
  {
    name: "cascade-no-such-owner",
    async run(stage) {
      const other = await stage.side.client
        .resource(ConfigMap, { namespace: "default" })
        .create({ metadata: { name: "elsewhere" } });
      const reference = (name: string, uid: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid });
      const { name, uid = "" } = other.metadata;
      await stage.create(Secret, {
        metadata: { name: "of-nobody", ownerReferences: [reference("nobody", "11111111-2222-3333-4444-555555555555")] },
      });
      await stage.create(Secret, { metadata: { name: "of-elsewhere", ownerReferences: [reference(name, uid)] } });
      await stage.gone(Secret, "of-nobody");
      await stage.gone(Secret, "of-elsewhere");
    },
  },
  {
    name: "cascade-custom-kinds",
    async run(stage) {
      const definitions = stage.side.client.resource(CustomResourceDefinition);
      const names = { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" };
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
      await definitions.create({
        metadata: { name: "widgets.diff.example.com" },
        spec: {
          group: "diff.example.com",
          names,
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      });
      await stage.until(CustomResourceDefinition, "widgets.diff.example.com", (one) =>
        (one?.status?.conditions ?? []).some(({ type, status }) => type === "Established" && status === "True"),
      );
      await stage.pause(1_000);
      for (const policy of ["Background", "Foreground", "Orphan"] as const) {
        const widget = await stage.create(Widget, { metadata: { name: policy.toLowerCase() } });
        const { name, uid = "" } = widget.metadata;
        const owner = { apiVersion: "diff.example.com/v1", kind: "Widget", name, uid, blockOwnerDeletion: true };
        await stage.create(Widget, { metadata: { name: `${name}-child`, ownerReferences: [owner] } });
        await stage.create(ConfigMap, { metadata: { name, ownerReferences: [owner] } });
      }
      // a new kind is watched within half a minute
      await stage.pause(35_000);
      for (const propagationPolicy of ["Background", "Foreground", "Orphan"] as const) {
        await stage.of(Widget).delete(propagationPolicy.toLowerCase(), { propagationPolicy });
        await stage.gone(Widget, propagationPolicy.toLowerCase());
      }
      await stage.gone(ConfigMap, "background");
      await stage.gone(Widget, "background-child");
    },
  },
  {
    name: "namespace-end",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.create(Job, job());
      await stage.until(Job, "job", (one) => isTrue(one, "Complete"));
      await stage.create(ConfigMap, { metadata: { name: "c" }, data: { a: "b" } });
      await stage.side.client.resource(Namespace).delete(stage.namespace);
      await stage.gone(Namespace, stage.namespace);
    },
  },
  {
    name: "namespace-held",
    async run(stage) {
      await stage.create(ConfigMap, { metadata: { name: "c", finalizers: ["example.com/hold"] } });
      await stage.quiet();
      await stage.side.client.resource(Namespace).delete(stage.namespace);
      await stage.until(Namespace, stage.namespace, (one) => (one?.status?.conditions ?? []).length === 5);
      await stage.checkpoint("held");
      await stage.patch(ConfigMap, "c", { metadata: { finalizers: null } });
      await stage.gone(Namespace, stage.namespace);
    },
  },
  {
    name: "serviceaccounts",
    async run(stage) {
      await stage.quiet();
      await stage.of(ServiceAccount).delete("default");
      await stage.of(ConfigMap).patch("kube-root-ca.crt", { merge: { data: { "ca.crt": "changed" } } });
      await stage.checkpoint("back");
      const type = "kubernetes.io/service-account-token";
      await stage.create(ServiceAccount, { metadata: { name: "robot" } });
      const annotations = { "kubernetes.io/service-account.name": "robot" };
      await stage.create(Secret, { metadata: { name: "token", annotations }, type });
      await stage.until(Secret, "token", (secret) => secret?.data?.["token"] !== undefined);
      await stage.checkpoint("token");
      await stage.of(Secret).patch("token", { merge: { data: { token: null, "ca.crt": "" } } });
      await stage.checkpoint("repaired");
      const nobody = { "kubernetes.io/service-account.name": "nobody" };
      await stage.create(Secret, { metadata: { name: "nobody", annotations: nobody }, type });
      await stage.of(ServiceAccount).delete("robot");
      await stage.gone(Secret, "token");
    },
  },
  {
    name: "quota",
    async run(stage) {
      const hard = {
        pods: "3",
        "requests.cpu": "1",
        "limits.memory": "1Gi",
        services: "2",
        "services.nodeports": "1",
        configmaps: "5",
        secrets: "4",
        persistentvolumeclaims: "2",
        "requests.storage": "5Gi",
        "count/deployments.apps": "2",
        "count/replicasets.apps": "5",
        "count/leases.coordination.k8s.io": "3",
      };
      await stage.create(ResourceQuota, { metadata: { name: "all" }, spec: { hard } });
      await stage.create(ResourceQuota, {
        metadata: { name: "scoped" },
        spec: { hard: { pods: "5" }, scopes: ["BestEffort"] },
      });
      await stage.checkpoint("empty");
      const resources = { requests: { cpu: "200m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } };
      const spec = { containers: [{ name: "c", image: "one", resources }] };
      await stage.create(Deployment, deployment({ replicas: 2 }, { spec }));
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.create(Service, { metadata: { name: "s" }, spec: { type: "NodePort", ports: [{ port: 80 }] } });
      await stage.create(PersistentVolumeClaim, {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
      });
      await stage.create(Secret, { metadata: { name: "s" } });
      await stage.checkpoint("used");
      await stage.patch(Deployment, "web", { spec: { replicas: 1 } });
      await stage.until(Deployment, "web", hasRolledOut);
      await stage.of(Service).delete("s");
      await stage.of(Secret).delete("s");
      await stage.patch(ResourceQuota, "all", { spec: { hard: { pods: "7" } } });
      await stage.pause(5_000);
    },
  },
  guarded("budget-min-available", { minAvailable: 2 }),
  guarded("budget-min-percent", { minAvailable: "50%" }),
  guarded("budget-max-unavailable", { maxUnavailable: 1 }),
  guarded("budget-max-percent", { maxUnavailable: "30%" }),
  {
    name: "budget-odd-pods",
    async run(stage) {
      const bare = (name: string) => ({
        metadata: { name, labels: { app: "a" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      await stage.create(Pod, bare("bare"));
      await stage.until(Pod, "bare", (pod) => isTrue(pod, "Ready"));
      await stage.create(PodDisruptionBudget, budget({ maxUnavailable: 1 }));
      await stage.checkpoint("no controller");
      await stage.of(PodDisruptionBudget).delete("budget");
      await stage.create(PodDisruptionBudget, budget({ minAvailable: 1 }));
      await stage.create(Pod, bare("other"));
      await stage.until(Pod, "other", (pod) => isTrue(pod, "Ready"));
      await stage.quiet();
      const eviction = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "bare", namespace: stage.namespace },
      };
      await stage
        .of(Pod)
        .subresource("eviction")
        .create("bare", eviction as never);
      await stage.gone(Pod, "bare");
    },
  },
  {
    name: "replicaset-deleted",
    async run(stage) {
      await stage.create(Deployment, deployment({ replicas: 2 }));
      await stage.until(Deployment, "web", hasRolledOut);
      const { items } = await stage.of(ReplicaSet).list();
      await stage.of(ReplicaSet).delete(items[0]?.metadata.name ?? "", { propagationPolicy: "Background" });
      await stage.pause(1_500);
      await stage.until(Deployment, "web", hasRolledOut);
    },
  },
];
