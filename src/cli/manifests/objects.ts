/** The objects that install an operator: takes the needs of its manager, gives objects in the order of their creation. Pure. */
import type { KubeObject, PolicyRule, ServiceAccount } from "../../api/index.js";
import type { ManagerNeeds } from "../../manager/index.js";
import { type Installation, workloadOf } from "./workload.js";
import { defined } from "../../base/defined.js";

/** Objects by the file that a folder of them has for each. */
export type ManifestGroups = ReadonlyMap<string, readonly KubeObject[]>;

const rbac = "rbac.authorization.k8s.io";

export function manifestsOf(needs: ManagerNeeds, installation: Installation): ManifestGroups {
  const groups = new Map<string, readonly KubeObject[]>([
    ["namespace", namespaceOf(installation)],
    ["crds", needs.definitions],
    ["rbac", accessOf(needs, installation)],
    ...workloadOf(needs, installation),
    ["webhooks", webhooksOf(needs, installation)],
  ]);
  return new Map(Array.from(groups).filter(([, objects]) => objects.length > 0));
}

/** Namespaces that every cluster has are not made. */
function namespaceOf({ namespace, labels }: Installation): readonly KubeObject[] {
  if (namespace === "default" || namespace.startsWith("kube-")) return [];
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  return [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { ...labels, ...restricted } } }];
}

/** A ClusterRole for the rules of the whole cluster, a Role for each namespace that has rules of its own. */
function accessOf({ rules }: ManagerNeeds, { name, namespace, labels }: Installation): readonly KubeObject[] {
  const account: ServiceAccount = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace, labels },
  };
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const places = [...new Set(rules.map((one) => one.namespace))];
  return [
    account,
    ...places.flatMap((place) => {
      const here = rules.filter((one) => one.namespace === place).map(({ rule }) => rule);
      const scope = place === undefined ? "Cluster" : "";
      const metadata = { name, labels, ...defined({ namespace: place }) };
      return roleAndBinding({ scope, metadata, rules: here, subjects });
    }),
  ];
}

interface RoleFacts {
  readonly scope: "Cluster" | "";
  readonly metadata: KubeObject["metadata"];
  readonly rules: readonly PolicyRule[];
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

function roleAndBinding({ scope, metadata, rules, subjects }: RoleFacts): readonly KubeObject[] {
  const roleRef = { apiGroup: rbac, kind: `${scope}Role`, name: metadata.name };
  const apiVersion = `${rbac}/v1`;
  return [
    { apiVersion, kind: `${scope}Role`, metadata, rules } as KubeObject,
    { apiVersion, kind: `${scope}RoleBinding`, metadata, roleRef, subjects } as KubeObject,
  ];
}

/**
 * The manager fills in the authority when it runs. Until then the server refuses the objects that the webhooks would judge, so the
 * operator's own namespace is left out for kinds of others: its pods could not be created otherwise.
 */
function webhooksOf(
  { webhooks, definitions }: ManagerNeeds,
  { namespace, labels }: Installation,
): readonly KubeObject[] {
  if (webhooks === undefined) return [];
  if (webhooks.service === undefined)
    throw new Error(
      "the webhooks have no service in a cluster: pass the options that the operator is given on to the Manager, or name a service in webhooks",
    );
  const own = new Set(definitions.map(({ spec }) => spec.group));
  const elsewhere = { key: "kubernetes.io/metadata.name", operator: "NotIn", values: [namespace] };
  return webhooks.configurations.map((configuration) => ({
    ...configuration,
    metadata: { ...configuration.metadata, labels },
    webhooks: configuration.webhooks?.map(({ namespaceSelector, ...webhook }) => {
      const isOwn = webhook.rules?.every(({ apiGroups }) => apiGroups?.every((group) => own.has(group))) ?? true;
      const selector = namespaceSelector ?? (isOwn ? undefined : { matchExpressions: [elsewhere] });
      return { ...webhook, ...defined({ namespaceSelector: selector }) };
    }),
  }));
}
