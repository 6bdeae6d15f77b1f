/** Scripts about an object's identity: writes that change kind, version, name, namespace, uid and other fields of the server. */
import { inNamespace, object, type Script } from "../script.js";

const time = "2020-01-01T00:00:00Z";
const uid = "00000000-0000-4000-8000-000000000000";

/** The value null removes the field. */
const ofObject: readonly (readonly [string, unknown])[] = [
  ["kind", "Service"],
  ["kind", "Nonsense"],
  ["kind", 1],
  ["kind", {}],
  ["apiVersion", "v1"],
  ["apiVersion", "v2"],
  ["apiVersion", "apps/v1"],
  ["apiVersion", "autoscaling/v2"],
  ["apiVersion", "other.example.com/v9"],
  ["apiVersion", ""],
  ["apiVersion", null],
  ["apiVersion", {}],
  ["metadata", null],
];

const ofMetadata: readonly (readonly [string, unknown])[] = [
  ["name", "b"],
  ["name", ""],
  ["name", null],
  ["name", 1],
  ["namespace", "other"],
  ["namespace", ""],
  ["namespace", null],
  ["uid", uid],
  ["uid", ""],
  ["uid", null],
  ["creationTimestamp", time],
  ["creationTimestamp", null],
  ["creationTimestamp", "x"],
  ["deletionTimestamp", time],
  ["deletionGracePeriodSeconds", 5],
  ["generation", 77],
  ["generation", null],
  ["resourceVersion", "1"],
  ["resourceVersion", "0"],
  ["resourceVersion", ""],
  ["resourceVersion", null],
  ["resourceVersion", "abc"],
  ["generateName", "b-"],
  ["managedFields", []],
  ["managedFields", [{}]],
  ["managedFields", null],
  ["managedFields", [{ manager: "x", operation: "Nonsense" }]],
  ["managedFields", "x"],
];

const replicated = {
  selector: { matchLabels: { a: "b" } },
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
};

export function identities(): Script {
  const { script: s, core, group } = inNamespace("diff-identities");
  const target = { scaleTargetRef: { kind: "Deployment", name: "a" }, maxReplicas: 3 };
  const widgets = `${group("diff.example.com/v1")}/widgets`;
  const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  s.post(`${core}/configmaps`, object("v1", "ConfigMap", "a", { data: { k: "v" } }))
    .post(`${core}/secrets`, object("v1", "Secret", "a"))
    .post(`${group("coordination.k8s.io/v1")}/leases`, object("coordination.k8s.io/v1", "Lease", "a"))
    .post(`${group("apps/v1")}/deployments`, object("apps/v1", "Deployment", "a", { spec: replicated }))
    .post(
      `${group("autoscaling/v2")}/horizontalpodautoscalers`,
      object("autoscaling/v2", "HorizontalPodAutoscaler", "a", { spec: target }),
    )
    .post(widgets, object("diff.example.com/v1", "Widget", "a", { spec: { size: 1 } }))
    .post(roles, object("rbac.authorization.k8s.io/v1", "ClusterRole", "diff-identities", { rules: [] }));
  for (const path of [
    `${core}/configmaps/a`,
    `${core}/secrets/a`,
    `${group("coordination.k8s.io/v1")}/leases/a`,
    `${group("apps/v1")}/deployments/a`,
    `${group("apps/v1")}/deployments/a/status`,
    `${group("autoscaling/v1")}/horizontalpodautoscalers/a`,
    `${group("autoscaling/v2")}/horizontalpodautoscalers/a`,
    `${roles}/diff-identities`,
    `${widgets}/a`,
  ]) {
    patches(s, path);
  }
  for (const [field, value] of [...ofObject, ["uid", uid], ["name", "b"], ["namespace", "other"]] as const) {
    const path = `${group("apps/v1")}/deployments/a/scale?dryRun=All`;
    s.merge(
      path,
      field === field.toLowerCase() && field !== "kind" ? { metadata: { [field]: value } } : { [field]: value },
    );
  }
  puts(s, core, group("coordination.k8s.io/v1"));
  s.get(`${core}/configmaps/a`).get(`${widgets}/a`).delete(`${widgets}/a`);
  return s;
}

function patches(s: Script, path: string): void {
  const dry = `${path}?dryRun=All`;
  const isCustom = path.includes("widgets");
  for (const [at, fields] of [
    ["", ofObject],
    ["/metadata", ofMetadata],
  ] as const) {
    for (const [field, value] of fields) {
      const changed = at === "" ? { [field]: value } : { metadata: { [field]: value } };
      s.merge(dry, changed);
      if (!isCustom) s.strategic(dry, changed);
      s.json(dry, [
        value === null ? { op: "remove", path: `${at}/${field}` } : { op: "add", path: `${at}/${field}`, value },
      ]);
    }
  }
  s.merge(dry, { kind: "Pod", apiVersion: "v1", data: "text" });
  if (isCustom) return;
  s.merge(dry, { kind: "" })
    .merge(dry, { kind: null })
    .strategic(dry, { kind: "Pod", apiVersion: "v9" })
    .json(dry, [{ op: "replace", path: "", value: [] }])
    .json(dry, [{ op: "replace", path: "", value: { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } } }])
    .merge(`${dry}&fieldValidation=Strict`, { apiVersion: null });
}

/** The whole object, to where there is one and to where there is none. */
function puts(s: Script, core: string, leases: string): void {
  for (const [path, apiVersion, kind] of [
    [`${core}/configmaps`, "v1", "ConfigMap"],
    [`${leases}/leases`, "coordination.k8s.io/v1", "Lease"],
  ] as const) {
    const body = (name: string, metadata: object): object => ({ apiVersion, kind, metadata: { name, ...metadata } });
    const apply = (name: string, metadata: object): unknown =>
      s.apply(`${path}/${name}?dryRun=All&fieldManager=m&force=true`, body(name, metadata));
    for (const [field, value] of ofMetadata) {
      if (field === "name" || value === null || value === "x") continue;
      const metadata = { [field]: value };
      s.put(`${path}/a?dryRun=All`, body("a", metadata));
      apply("a", metadata);
      // an object that is made by an update comes from a real server with an end, if it was sent with one
      if (!field.startsWith("deletion")) {
        apply("new", metadata);
        s.put(`${path}/new?dryRun=All`, body("new", metadata));
      }
      s.post(`${path}?dryRun=All`, body("new", metadata));
    }
    for (const resourceVersion of ["0", "1", "abc"]) {
      s.post(path, body(`post-${resourceVersion}`, { resourceVersion }))
        .put(`${path}/put-${resourceVersion}`, body(`put-${resourceVersion}`, { resourceVersion }))
        .apply(
          `${path}/apply-${resourceVersion}?fieldManager=m`,
          body(`apply-${resourceVersion}`, { resourceVersion }),
        );
    }
  }
  const role = object("rbac.authorization.k8s.io/v1", "ClusterRole", "diff-other");
  const elsewhere = { ...role, metadata: { name: "diff-other", namespace: "other" } };
  s.post("/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All", elsewhere);
  for (const name of ["a/b", "a%b", ".", ".."]) {
    s.post(
      `${core}/events?dryRun=All`,
      object("v1", "Event", name, { involvedObject: { namespace: "diff-identities" } }),
    );
  }
}
