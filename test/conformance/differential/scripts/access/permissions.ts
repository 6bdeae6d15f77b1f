/** Scripts about permissions: requests and reviews of users with and without roles. */
import { inNamespace, object, type Script } from "../../script.js";

const group = "rbac.authorization.k8s.io";
const reviews = "/apis/authorization.k8s.io/v1";

export function permissions(): Script {
  const { script: s, core, group: inGroup } = inNamespace("diff-permissions");
  const access = inGroup(`${group}/v1`);
  const rule = (
    apiGroups: readonly string[],
    resources: readonly string[],
    verbs: readonly string[],
    rest: object = {},
  ): object => ({
    apiGroups,
    resources,
    verbs,
    ...rest,
  });
  const role = (name: string, ...rules: readonly object[]): object => object(`${group}/v1`, "Role", name, { rules });
  const binding = (name: string, kind: string, of: string, ...subjects: readonly object[]): object =>
    object(`${group}/v1`, "RoleBinding", name, { roleRef: { apiGroup: group, kind, name: of }, subjects });
  const user = (name: string): object => ({ kind: "User", apiGroup: group, name });
  const account = { kind: "ServiceAccount", name: "robot", namespace: "diff-permissions" };
  s.post(
    `${access}/roles`,
    role(
      "reader",
      rule([""], ["pods", "*/log"], ["get", "list"]),
      rule([""], ["configmaps"], ["get", "update", "list"], { resourceNames: ["mine"] }),
      rule(["apps"], ["*"], ["*"]),
      rule([group], ["roles", "rolebindings"], ["create", "update", "get"]),
    ),
  );
  s.post(`${access}/rolebindings`, binding("readers", "Role", "reader", user("reader"), account));
  s.post(`${access}/rolebindings`, binding("broken", "Role", "missing", user("reader")));
  s.post(`${access}/rolebindings`, binding("viewers", "ClusterRole", "system:basic-user", user("viewer")));
  s.post(`${core}/configmaps`, object("v1", "ConfigMap", "mine"));
  const reader = { as: "reader" };
  // the first answers of a real server come from a cache that may not know the bindings yet
  s.post(`${access}/roles?dryRun=All`, role("probe", rule([""], ["pods"], ["get"])), reader);
  for (const as of ["reader", "nobody", "system:serviceaccount:diff-permissions:robot"]) {
    s.get(`${core}/pods`, { as })
      .get(`${core}/pods/x`, { as })
      .get(`${core}/pods/x/log`, { as })
      .get(`${core}/configmaps`, { as })
      .get(`${core}/configmaps/mine`, { as })
      .get(`${core}/configmaps/other`, { as })
      .get(`${core}/configmaps?fieldSelector=metadata.name=mine`, { as })
      .delete(`${core}/configmaps/mine`, undefined, { as })
      .get("/api/v1/pods", { as })
      .get("/api/v1/namespaces/diff-permissions", { as })
      .get("/api/v1/nodes/n", { as })
      .get(`${inGroup("apps/v1")}/deployments`, { as })
      .delete(`${inGroup("apps/v1")}/deployments`, undefined, { as })
      .get("/api", { as })
      .get("/metrics", { as })
      .get("/healthz", { as });
  }
  grantsOf(s, access, { role, binding, rule, user, reader });
  const about = (resourceAttributes: object, rest: object = {}): object => ({ spec: { resourceAttributes, ...rest } });
  const pods = { namespace: "diff-permissions", verb: "get", resource: "pods" };
  s.post(`${reviews}/selfsubjectaccessreviews`, about(pods), reader);
  s.post(`${reviews}/selfsubjectaccessreviews`, about({ ...pods, verb: "delete" }), reader);
  s.post(`${reviews}/subjectaccessreviews`, about(pods, { user: "reader" }));
  s.post(`${reviews}/subjectaccessreviews`, about(pods, { user: "x", groups: ["system:masters"] }));
  s.post(`${reviews}/subjectaccessreviews`, about(pods, { user: "nobody" }));
  s.post(`${reviews}/subjectaccessreviews`, about(pods, { user: "system:serviceaccount:diff-permissions:robot" }));
  s.post(`${reviews}/subjectaccessreviews`, about(pods, { user: "reader" }), reader);
  s.post(`${reviews}/selfsubjectrulesreviews`, { spec: { namespace: "diff-permissions" } }, reader);
  s.post(`${reviews}/selfsubjectrulesreviews`, { spec: { namespace: "default" } }, { as: "viewer" });
  s.post(`${reviews}/selfsubjectrulesreviews`, { spec: {} });
  return s;
}

interface Words {
  role(name: string, ...rules: readonly object[]): object;
  binding(name: string, kind: string, of: string, ...subjects: readonly object[]): object;
  rule(groups: readonly string[], resources: readonly string[], verbs: readonly string[], rest?: object): object;
  user(name: string): object;
  readonly reader: { readonly as: string };
}

/** The permissions that a user may grant who is allowed to write roles. */
function grantsOf(s: Script, access: string, { role, binding, rule, user, reader }: Words): void {
  s.post(`${access}/roles`, role("less", rule([""], ["pods"], ["list"])), reader)
    .post(`${access}/roles`, role("more", rule([""], ["pods", "secrets"], ["get", "list", "watch"])), reader)
    .post(
      `${access}/roles`,
      role("named", rule([""], ["configmaps"], ["get"], { resourceNames: ["mine", "other"] })),
      reader,
    )
    .post(`${access}/rolebindings`, binding("same", "Role", "reader", user("friend")), reader)
    .post(`${access}/rolebindings`, binding("view", "ClusterRole", "system:heapster", user("friend")), reader)
    .post(`${access}/rolebindings`, binding("none", "Role", "nothing", user("friend")), reader)
    .post(`${access}/roles`, role("denied", rule([""], ["pods"], ["get"])), { as: "nobody" });
}
