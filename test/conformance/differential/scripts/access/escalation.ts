/** Scripts about privilege escalation: users who may write roles and bindings try to grant more than they have. */
import { inNamespace, object, type Script } from "../../script.js";

const group = "rbac.authorization.k8s.io";
const home = "diff-escalation";
const cluster = `/apis/${group}/v1`;
const merge = { type: "application/merge-patch+json" };

type Rule = Readonly<Record<string, readonly string[]>>;

const rule = (
  apiGroups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
  rest = {},
): Rule => ({
  apiGroups,
  resources,
  verbs,
  ...rest,
});
const paths = (nonResourceURLs: readonly string[], ...verbs: readonly string[]): Rule => ({ nonResourceURLs, verbs });
const named = (...resourceNames: readonly string[]): object => ({ resourceNames });
const of = (name: string): string => `${home}-${name}`;
const as = (name: string): { readonly as: string } => ({ as: of(name) });
const user = (name: string): object => ({ kind: "User", apiGroup: group, name: of(name) });
const clusterRole = (name: string, rules: readonly object[], rest: object = {}): object =>
  object(`${group}/v1`, "ClusterRole", of(name), { rules, ...rest });
const role = (name: string, ...rules: readonly object[]): object => object(`${group}/v1`, "Role", name, { rules });
const bindingTo = (role: string, ...subjects: readonly object[]): object =>
  object(`${group}/v1`, "ClusterRoleBinding", of("bound"), {
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
    subjects,
  });
const localBinding = (kind: string, name: string, rest: object = {}): object =>
  object(`${group}/v1`, "RoleBinding", "bound", {
    roleRef: { apiGroup: group, kind, name, ...rest },
    subjects: [user("friend")],
  });

/** All of these users may write RBAC objects. */
const people: Readonly<Record<string, readonly Rule[]>> = {
  eve: [
    rule([""], ["pods", "pods/log", "*/status"], ["get", "list"]),
    rule(["apps"], ["*"], ["*"]),
    rule([""], ["configmaps"], ["get", "update"], named("a", "b")),
    paths(["/healthz", "/api/*"], "get"),
  ],
  // may escalate or bind the named objects only; a create has no name
  escalator: [rule([group], ["roles", "clusterroles"], ["escalate"], named("role", of("role")))],
  binder: [rule([group], ["roles", "clusterroles"], ["bind"], named("view", "role", of("big")))],
  all: [rule(["*"], ["*"], ["*"]), paths(["*"], "*")],
  "all-resources": [rule(["*"], ["*"], ["*"])],
};

/** The granted rules, one role each. */
const grants: readonly (readonly object[])[] = [
  [rule([""], ["*"], ["get"])],
  [rule(["*"], ["pods"], ["get"])],
  [rule([""], ["pods"], ["*"])],
  [rule([""], ["pods"], ["get"])],
  [rule([""], ["pods"], ["get"], named("x"))],
  [rule([""], ["pods/log"], ["get"])],
  [rule([""], ["pods/exec"], ["get"])],
  [rule([""], ["pods/*"], ["get"])],
  [rule([""], ["nodes/status"], ["get"])],
  [rule([""], ["*/status"], ["get"])],
  [rule([""], ["*/log"], ["get"])],
  [rule(["apps"], ["*"], ["*"])],
  [rule(["apps"], ["deployments/scale"], ["*"])],
  [rule(["apps", "batch"], ["jobs"], ["get"])],
  [rule([""], ["configmaps"], ["get"])],
  [rule([""], ["configmaps"], ["get"], named("a"))],
  [rule([""], ["configmaps"], ["get"], named("a", "b"))],
  [rule([""], ["configmaps"], ["get", "update"], named("b", "c"))],
  [rule([""], ["configmaps"], ["get"], named(""))],
  [rule([""], ["configmaps"], ["get"], named("*"))],
  ...["/healthz", "/healthz/x", "/api", "/api/", "/api/v1", "/api/*", "/api/v1/*", "/api*", "*"].map((path) => [
    paths([path], "get"),
  ]),
  [paths(["/healthz"], "*")],
  [paths(["/healthz"], "get", "post")],
  [{ ...rule([""], ["pods"], ["get"]), nonResourceURLs: ["/healthz"] }],
  [rule([""], ["pods"], [])],
  [rule([], ["pods"], ["get"])],
  [rule([""], [], ["get"])],
  [{ verbs: ["get"], apiGroups: [""] }],
  [{ verbs: ["get"] }],
  [],
  [rule([""], ["pods", "secrets"], ["get", "watch"])],
  [rule([""], ["secrets"], ["get"]), rule([""], ["secrets"], ["list"])],
  [rule([""], ["secrets"], ["get"], named("a")), rule([""], ["secrets"], ["list"], named("a"))],
  [rule(["", "apps"], ["secrets", "pods"], ["get", "list"], named("a", "b"))],
  [rule([""], ["secrets"], ["get"]), paths(["/x", "/y"], "get", "put")],
  [rule([""], ["secrets", "secrets"], ["get", "get"])],
  [rule([""], ["secrets"], ["list", "get", "*"])],
  [rule(["b", "a"], ["z", "y"], ["v", "u"])],
];

export function escalation(): Script {
  const { script: s, group: inGroup } = inNamespace(home);
  const access = inGroup(`${group}/v1`);
  const writes = rule([group], ["*"], ["create", "update", "patch", "get", "list", "delete", "deletecollection"]);
  for (const [name, rules] of Object.entries(people)) {
    s.post(`${cluster}/clusterroles`, clusterRole(name, [writes, ...rules]));
    s.post(`${cluster}/clusterrolebindings`, {
      ...bindingTo(of(name), user(name)),
      metadata: { name: of(name) },
    });
  }
  s.post(`${cluster}/clusterroles`, clusterRole("big", [rule([""], ["secrets"], ["get"])]))
    .post(`${cluster}/clusterroles`, clusterRole("small", [rule([""], ["pods"], ["get"])]))
    .post(`${access}/roles`, role("role", rule([""], ["secrets"], ["get"])));
  // the first answers of a real server come from a cache that may not know the bindings yet
  for (const name of Object.keys(people))
    s.post(`${cluster}/clusterroles?dryRun=All`, clusterRole("probe", []), as(name));
  for (const [index, rules] of grants.entries()) {
    for (const who of ["eve", "all-resources"])
      s.post(`${cluster}/clusterroles?dryRun=All`, clusterRole(`granted-${index}`, rules), as(who));
  }
  for (const rules of [rule([""], ["pods"], ["get"]), rule([""], ["secrets"], ["get"]), paths(["/x"], "get")])
    s.post(`${access}/roles?dryRun=All`, role("local", rules), as("eve"));
  s.post(`${access}/roles?dryRun=All`, { ...role("", rule([""], ["secrets"], ["get"])), metadata: {} }, as("eve"));
  s.post(
    `${access}/roles?dryRun=All`,
    { ...role("", rule([""], ["secrets"], ["get"])), metadata: { generateName: "a-" } },
    as("eve"),
  );
  escalating(s, access);
  aggregating(s);
  changing(s);
  binding(s, access);
  return s;
}

/** A name in a permission counts where the path names the object. */
function escalating(s: Script, access: string): void {
  const rules = [rule([""], ["secrets"], ["get"])];
  for (const [path, body] of [
    [`${cluster}/clusterroles`, clusterRole("role", rules)],
    [`${cluster}/clusterroles`, clusterRole("other", rules)],
    [`${access}/roles`, role("fresh", ...rules)],
  ] as const) {
    const { name } = (body as { readonly metadata: { readonly name: string } }).metadata;
    s.post(`${path}?dryRun=All`, body, as("escalator"))
      .put(`${path}/${name}?dryRun=All`, body, as("escalator"))
      .send("PATCH", `${path}/${name}?dryRun=All&fieldManager=m`, body, {
        type: "application/apply-patch+yaml",
        ...as("escalator"),
      });
  }
  s.put(`${access}/roles/role?dryRun=All`, role("role", rule([""], ["secrets"], ["*"])), as("escalator"));
}

function aggregating(s: Script): void {
  const rules = [rule([""], ["secrets"], ["get"])];
  const labels = { collect: home };
  const aggregation = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] } };
  for (const who of Object.keys(people)) {
    s.post(`${cluster}/clusterroles?dryRun=All`, clusterRole("gathering", [], aggregation), as(who))
      .post(`${cluster}/clusterroles?dryRun=All`, clusterRole("gathering", rules, aggregation), as(who))
      .put(`${cluster}/clusterroles/${of("role")}?dryRun=All`, clusterRole("role", [], aggregation), as(who));
    for (const [name, patch] of [
      [of(who), { ...aggregation, metadata: { labels } }],
      [of(who), aggregation],
      [of(who), { aggregationRule: { clusterRoleSelectors: [] } }],
      [of(who), { aggregationRule: {} }],
      ["admin", { aggregationRule: null }],
      ["admin", { metadata: { labels } }],
      ["edit", { aggregationRule: { clusterRoleSelectors: [] } }],
      ["edit", { rules: null }],
      ["edit", { metadata: { finalizers: ["example.com/x"] } }],
    ] as const) {
      s.send("PATCH", `${cluster}/clusterroles/${name}?dryRun=All`, patch, { ...merge, ...as(who) });
    }
    s.delete(`${cluster}/clusterroles/edit?dryRun=All`, undefined, as(who));
  }
}

/** Users may not change a role that grants more than they have, except for the fields of garbage collection. */
function changing(s: Script): void {
  const path = `${cluster}/clusterroles/${of("big")}?dryRun=All`;
  for (const patch of [
    { metadata: { labels: { a: "b" } } },
    { metadata: { annotations: { a: "b" } } },
    { metadata: { finalizers: ["example.com/x"] } },
    { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "1" }] } },
    {},
    { rules: [] },
    { rules: null },
    { rules: [rule([""], ["pods"], ["get"])] },
    { metadata: { resourceVersion: "1", labels: { a: "b" } } },
  ]) {
    s.send("PATCH", path, patch, { ...merge, ...as("eve") });
  }
  const apply = { type: "application/apply-patch+yaml", ...as("eve") };
  s.put(path, clusterRole("big", [rule([""], ["secrets"], ["get"])]), as("eve"))
    .put(path, clusterRole("big", []), as("eve"))
    .put(path, { ...clusterRole("big", []), metadata: { name: of("big"), resourceVersion: "1" } }, as("eve"))
    .send("PATCH", `${path}&fieldManager=m&force=true`, clusterRole("big", [rule([""], ["nodes"], ["get"])]), apply)
    .send("PATCH", `${path}&fieldManager=m&force=true`, clusterRole("big", []), apply)
    .delete(path, undefined, as("eve"))
    .delete(`${cluster}/clusterroles?labelSelector=none%3Dsuch&dryRun=All`, undefined, as("eve"));
}

function binding(s: Script, access: string): void {
  const [ours, theirs] = [`${access}/rolebindings`, `${cluster}/clusterrolebindings`];
  for (const who of Object.keys(people)) {
    for (const role of [of("small"), of("big"), of("missing"), "cluster-admin", "view", "edit"])
      s.post(`${theirs}?dryRun=All`, bindingTo(role, user("friend")), as(who));
    for (const [kind, name] of [
      ["Role", "role"],
      ["Role", "missing"],
      ["ClusterRole", "view"],
      ["ClusterRole", of("small")],
      ["ClusterRole", of("missing")],
      ["constructor", "role"],
    ] as const) {
      s.post(`${ours}?dryRun=All`, localBinding(kind, name), as(who));
    }
  }
  s.post(`${theirs}?dryRun=All`, bindingTo("cluster-admin"), as("eve"))
    .post(`${ours}?dryRun=All`, localBinding("Role", "role", { apiGroup: "" }), as("eve"))
    .post(`${ours}?dryRun=All`, object(`${group}/v1`, "RoleBinding", "bound"), as("eve"))
    .post(ours, localBinding("Role", "role"))
    .post(theirs, bindingTo(of("big"), user("friend")));
  for (const path of [`${ours}/bound?dryRun=All`, `${theirs}/${of("bound")}?dryRun=All`]) {
    for (const who of ["eve", "binder"]) {
      for (const patch of [
        { subjects: [user("friend"), user("eve")] },
        { subjects: [] },
        { subjects: null },
        { metadata: { labels: { a: "b" } } },
        { metadata: { finalizers: ["example.com/x"] } },
        {},
        { roleRef: { name: of("small") } },
        { roleRef: { kind: "ClusterRole", name: "view" } },
      ]) {
        s.send("PATCH", path, patch, { ...merge, ...as(who) });
      }
      s.delete(path, undefined, as(who));
    }
  }
}
