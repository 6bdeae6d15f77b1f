/**
 * Scripts about updates and applies that create, which need the permission to create: every way of writing, by users
 * with each set of verbs.
 */
import { inNamespace, object, type Script } from "../../script.js";

const group = "rbac.authorization.k8s.io";
const home = "diff-creating";
const cluster = `/apis/${group}/v1`;
const of = (name: string): string => `${home}-${name}`;

const everywhere = (...verbs: readonly string[]): object => ({ apiGroups: ["*"], resources: ["*"], verbs });
const people: Readonly<Record<string, readonly object[]>> = {
  patches: [everywhere("patch")],
  updates: [everywhere("update")],
  "patches-and-creates": [everywhere("patch", "create")],
  "updates-and-creates": [everywhere("update", "create")],
  reads: [everywhere("get")],
  "creates-by-name": [everywhere("patch", "update"), { ...everywhere("create"), resourceNames: ["x", of("x")] }],
};

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };

/** For each group and version: the plural, and the object. Names in cluster scope begin with the script's name. */
const namespaced: readonly (readonly [string, string, object])[] = [
  ["v1", "configmaps", object("v1", "ConfigMap", "x")],
  ["v1", "endpoints", object("v1", "Endpoints", "x")],
  ["v1", "serviceaccounts", object("v1", "ServiceAccount", "x")],
  ["v1", "secrets", object("v1", "Secret", "x")],
  ["v1", "services", object("v1", "Service", "x", { spec: { ports: [{ port: 80 }] } })],
  ["v1", "events", object("v1", "Event", "x", { involvedObject: { namespace: home } })],
  ["v1", "pods", object("v1", "Pod", "x", { spec: template.spec })],
  ["v1", "resourcequotas", object("v1", "ResourceQuota", "x")],
  [
    "apps/v1",
    "deployments",
    object("apps/v1", "Deployment", "x", { spec: { selector: { matchLabels: { a: "b" } }, template } }),
  ],
  ["coordination.k8s.io/v1", "leases", object("coordination.k8s.io/v1", "Lease", "x")],
  [
    "discovery.k8s.io/v1",
    "endpointslices",
    object("discovery.k8s.io/v1", "EndpointSlice", "x", { addressType: "IPv4" }),
  ],
  ["policy/v1", "poddisruptionbudgets", object("policy/v1", "PodDisruptionBudget", "x")],
  [`${group}/v1`, "roles", object(`${group}/v1`, "Role", "x", { rules: [] })],
  [`${group}/v1`, "roles", object(`${group}/v1`, "Role", "x", { rules: [everywhere("delete")] })],
  // errors of the object are reported first
  ["v1", "configmaps", object("v1", "ConfigMap", "BAD")],
  ["v1", "configmaps", object("v1", "ConfigMap", "x", { data: { "..": "a" } })],
];

const ofCluster: readonly (readonly [string, object])[] = [
  ["/api/v1/namespaces", object("v1", "Namespace", of("x"))],
  ["/api/v1/nodes", object("v1", "Node", of("x"))],
  [`${cluster}/clusterroles`, object(`${group}/v1`, "ClusterRole", of("x"), { rules: [] })],
  [
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    object("scheduling.k8s.io/v1", "PriorityClass", of("x"), { value: 1 }),
  ],
  [
    "/apis/storage.k8s.io/v1/storageclasses",
    object("storage.k8s.io/v1", "StorageClass", of("x"), { provisioner: "a" }),
  ],
];

export function creating(): Script {
  const { script: s, core, group: inGroup } = inNamespace(home);
  for (const [name, rules] of Object.entries(people)) {
    s.post(`${cluster}/clusterroles`, object(`${group}/v1`, "ClusterRole", of(name), { rules }));
    s.post(
      `${cluster}/clusterrolebindings`,
      object(`${group}/v1`, "ClusterRoleBinding", of(name), {
        roleRef: { apiGroup: group, kind: "ClusterRole", name: of(name) },
        subjects: [{ kind: "User", apiGroup: group, name: of(name) }],
      }),
    );
  }
  const kinds = [
    ...namespaced.map(([version, plural, body]) => {
      const place = version === "v1" ? core : inGroup(version);
      return [`${place}/${plural}`, body] as const;
    }),
    [`/api/v1/namespaces/${home}-none/configmaps`, object("v1", "ConfigMap", "x")] as const,
    ...ofCluster,
  ];
  for (const [path, body] of kinds) {
    const { name } = (body as { readonly metadata: { readonly name: string } }).metadata;
    for (const who of Object.keys(people)) {
      const by = { as: of(who) };
      s.send("PATCH", `${path}/${name}?dryRun=All&fieldManager=m`, body, {
        type: "application/apply-patch+yaml",
        ...by,
      })
        .put(`${path}/${name}?dryRun=All`, body, by)
        .send("PATCH", `${path}/${name}?dryRun=All`, {}, { type: "application/merge-patch+json", ...by });
    }
  }
  // without a dry run, too
  const by = { as: of("patches") };
  s.send("PATCH", `${core}/configmaps/x?fieldManager=m`, object("v1", "ConfigMap", "x"), {
    type: "application/apply-patch+yaml",
    ...by,
  }).get(`${core}/configmaps/x`);
  return s;
}
