/**
 * Scripts about forms of requests: dry runs of all verbs, strictness about fields, options of lists and watches, forms
 * of answers, warnings.
 */
import { samples } from "./objects.js";
import { inNamespace, object, partial, partialList, type Script, table } from "../script.js";

const cm = (name: string, rest: object = {}): object => object("v1", "ConfigMap", name, rest);
const protobuf = "application/vnd.kubernetes.protobuf";

export function protocol(): Script {
  const { script: s, core, group } = inNamespace("diff-protocol");
  const maps = `${core}/configmaps`;
  dryRuns(s, core, group("apps/v1"));
  strictness(s, maps, group("apps/v1"));
  listOptions(s, maps);
  for (const query of ["continue=abc", "continue=abc&resourceVersion=0", "limit=1"])
    s.get(`${maps}?watch=1&timeoutSeconds=1&${query}`);
  clusterFields(s);
  watchForms(s, core);
  collections(s, core);
  negotiation(s, maps);
  oddOptions(s, maps);
  oddPaths(s, core);
  oddPatches(s, maps);
  return s;
}

/** Options that are malformed, too large, or exclude each other. */
function oddOptions(s: Script, maps: string): void {
  s.post(maps, cm("odd", { data: { a: "1" } }));
  for (const query of [
    "limit=",
    "timeoutSeconds=",
    "limit=&labelSelector=a%20b",
    "labelSelector=a%20b&resourceVersionMatch=x",
    "fieldSelector=x&resourceVersionMatch=x",
    "resourceVersion=18446744073709551616",
    "continue=x&resourceVersionMatch=Exact",
    "watch=1&continue=x&sendInitialEvents=true",
    "watch=1&resourceVersionMatch=Exact",
    "sendInitialEvents=false",
  ]) {
    s.get(`${maps}?${query}`).delete(`${maps}?dryRun=All&${query}`);
  }
  for (const query of ["watch=1&timeoutSeconds=", "watch=1&continue=x&resourceVersion=1&timeoutSeconds=1"])
    s.get(`${maps}?${query}`);
  s.get(`${maps}/odd?resourceVersion=18446744073709551616`);
  for (const query of ["fieldValidation=x", "dryRun=x", "force=true", "fieldManager="]) {
    s.apply(`${maps}/odd?dryRun=All&${query}`, cm("odd")).merge(`${maps}/odd?dryRun=All&${query}`, {});
  }
  for (const path of ["/apis/batch/v1/jobs", "/apis/batch/v1/cronjobs", "/apis/resource.k8s.io/v1/resourceslices"])
    s.get(`${path}?fieldSelector=spec.nonsense%3Dx`);
}

/** Empty segments, and documents in other forms than JSON. */
function oddPaths(s: Script, core: string): void {
  for (const path of ["//api/v1/nodes", "/api//v1/nodes", "/api/v1//nodes", `${core}//configmaps`, "/x//y", "/livez/"])
    s.get(path);
  for (const path of ["/api/v1", "/apis/apps", "/apis/apps/v1"]) {
    for (const accept of ["application/yaml", table]) s.get(path, { accept });
  }
}

function oddPatches(s: Script, maps: string): void {
  for (const patch of [{ op: 3 }, { op: "add", path: {} }, { op: "test", path: "/kind", value: "ConfigMap", from: 1 }])
    s.json(`${maps}/odd?dryRun=All`, [patch]);
  for (const metadata of [undefined, null, {}, { namespace: "other" }, { uid: "x" }, { name: "other", uid: "x" }])
    s.apply(`${maps}/absent?fieldManager=m`, { apiVersion: "v1", kind: "ConfigMap", metadata });
}

/** A namespace is a field of kinds that have none. */
function clusterFields(s: Script): void {
  for (const path of [
    "/api/v1/nodes",
    "/api/v1/namespaces",
    "/api/v1/persistentvolumes",
    "/api/v1/persistentvolumeclaims",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/storage.k8s.io/v1/storageclasses",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    "/apis/apiregistration.k8s.io/v1/apiservices",
    "/apis/networking.k8s.io/v1/ingressclasses",
  ]) {
    for (const field of ["metadata.namespace", "name", "spec.nonsense"]) s.get(`${path}?fieldSelector=${field}%3Dx`);
  }
}

function dryRuns(s: Script, core: string, apps: string): void {
  const maps = `${core}/configmaps`;
  s.post(maps, cm("d", { data: { a: "1" } }));
  for (const value of ["All", "", "None", "All&dryRun=All", "All&dryRun=Some"]) {
    s.post(`${maps}?dryRun=${value}`, cm(`x${value.length}`))
      .merge(`${maps}/d?dryRun=${value}`, { data: { a: String(value.length) } })
      .delete(`${maps}/x${value.length}?dryRun=${value}`);
  }
  s.strategic(`${maps}/d?dryRun=All`, { data: { b: "2" } })
    .json(`${maps}/d?dryRun=All`, [{ op: "add", path: "/data/c", value: "3" }])
    .apply(`${maps}/d?dryRun=All&fieldManager=m`, cm("d", { data: { e: "5" } }))
    .apply(`${maps}/new?dryRun=All&fieldManager=m`, cm("new", { data: { e: "5" } }))
    .delete(`${maps}/d`, { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] })
    .delete(`${maps}/d`, { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["Some"] })
    .delete(`${maps}?dryRun=All`)
    .get(maps, { accept: partialList });
  const selector = { matchLabels: { app: "x" } };
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  s.post(`${apps}/deployments`, object("apps/v1", "Deployment", "d", { spec: { selector, template } }))
    .merge(`${apps}/deployments/d/scale?dryRun=All`, { spec: { replicas: 4 } })
    .merge(`${apps}/deployments/d/status?dryRun=All`, { status: { replicas: 4 } })
    .put(`${apps}/deployments/d/scale?dryRun=All`, object("autoscaling/v1", "Scale", "d", { spec: { replicas: 2 } }))
    .get(`${apps}/deployments/d`);
  s.post(`${core}/pods`, object("v1", "Pod", "p", { spec: template.spec }))
    .post(`${core}/pods/p/binding?dryRun=All`, object("v1", "Binding", "p", { target: { kind: "Node", name: "n" } }))
    .post(`${core}/pods/p/eviction?dryRun=All`, object("policy/v1", "Eviction", "p"))
    .post(`${core}/pods/p/eviction`, object("policy/v1", "Eviction", "p", { deleteOptions: { dryRun: ["All"] } }))
    .delete(`${core}/pods/p?dryRun=All&gracePeriodSeconds=0`)
    .get(`${core}/pods/p`)
    .post(`${core}/serviceaccounts`, object("v1", "ServiceAccount", "sa"))
    .post(`${core}/serviceaccounts/sa/token?dryRun=All`, object("authentication.k8s.io/v1", "TokenRequest", ""));
}

function strictness(s: Script, maps: string, apps: string): void {
  const doubled = (name: string): string =>
    `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","labels":{"l":"1","l":"2"}},"data":{"a":"1","a":"2"},"nope":1,"metadata2":{}}`;
  for (const mode of ["Strict", "Warn", "Ignore", ""]) {
    const query = mode === "" ? "" : `?fieldValidation=${mode}`;
    const name = `s-${mode.toLowerCase() || "none"}`;
    s.post(`${maps}${query}`, doubled(name))
      .post(maps, cm(`${name}-2`))
      .put(`${maps}/${name}-2${query}`, doubled(`${name}-2`))
      .merge(`${maps}/${name}-2${query}`, '{"data":{"b":"1","b":"2"},"unknown":true}')
      .strategic(`${maps}/${name}-2${query}`, '{"data":{"c":"1","c":"2"},"unknown":true}')
      .json(`${maps}/${name}-2${query}`, [{ op: "add", path: "/unknown", value: 1 }])
      .apply(`${maps}/${name}-2${query}${query === "" ? "?" : "&"}fieldManager=m`, {
        ...(cm(`${name}-2`) as Record<string, unknown>),
        unknown: 1,
      });
    const spec = { replicas: 1, replica: 2, selector: { matchLabels: { a: "b" } } };
    const template = {
      metadata: { labels: { a: "b" }, nope: 1 },
      spec: { containers: [{ name: "c", image: "i", imag: "j" }] },
    };
    s.post(
      `${apps}/deployments${query}`,
      object("apps/v1", "Deployment", `s-${mode.toLowerCase()}x`, { spec: { ...spec, template } }),
    );
    s.post(
      `${maps}${query}`,
      `kind: ConfigMap\napiVersion: v1\nmetadata: {name: y${name}}\ndata: {a: b, a: c}\nnope: 1\n`,
      {
        type: "application/yaml",
      },
    );
  }
  s.merge(`${maps}/s-warn?fieldValidation=Nonsense`, {}).put(`${maps}/s-warn?fieldValidation=strict`, cm("s-warn"));
  s.post(`${maps}?fieldManager=${"x".repeat(129)}`, cm("m"))
    .post(`${maps}?fieldManager=a%0Ab`, cm("m"))
    .merge(`${maps}/s-warn?force=true`, {})
    .apply(`${maps}/s-warn`, cm("s-warn"))
    .apply(`${maps}/s-warn?fieldManager=m&force=maybe`, cm("s-warn"));
}

function listOptions(s: Script, maps: string): void {
  for (const query of [
    "resourceVersionMatch=Exact&resourceVersion=1",
    "resourceVersionMatch=NotOlderThan",
    "resourceVersionMatch=NotOlderThan&resourceVersion=0",
    "resourceVersionMatch=Nonsense&resourceVersion=1",
    "resourceVersion=999999999",
    "resourceVersion=-1",
    "resourceVersion=01",
    "limit=1&continue=&resourceVersion=0",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    "sendInitialEvents=false",
    "timeoutSeconds=-1",
    "timeoutSeconds=abc",
    "limit=99999999999999999999",
    "allowWatchBookmarks=maybe",
    "watch=0",
    "labelSelector=a%3Db%2C%2Cc",
    "labelSelector=a%20in%20()",
    "labelSelector=-a",
    "labelSelector=a%3Eb",
    "fieldSelector=metadata.name%3E1",
    "fieldSelector=metadata.name%3Da%5C%2Cb",
    "fieldSelector=%3Da",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0&resourceVersion=5",
    "continue=eyJ2IjoidjIiLCJydiI6MSwic3RhcnQiOiJhIn0",
    "pretty=true",
    "unknown=1",
  ]) {
    s.get(`${maps}?${query}`, { accept: partialList });
  }
}

function watchForms(s: Script, core: string): void {
  const short = "watch=1&timeoutSeconds=1";
  const maps = `${core}/configmaps`;
  for (const accept of [
    table,
    partial,
    "application/json;as=Nonsense;v=v1;g=meta.k8s.io",
    "text/plain",
    "application/json;stream=watch",
  ]) {
    s.get(`${maps}?${short}&fieldSelector=metadata.name%3Dd`, { accept });
  }
  for (const query of [
    "resourceVersion=-1",
    "resourceVersionMatch=Exact&resourceVersion=1",
    "sendInitialEvents=true&resourceVersionMatch=Nonsense",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
    "limit=1",
    "labelSelector=%3D",
    "fieldSelector=spec.nope%3D1",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0",
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    "includeObject=None",
  ]) {
    s.get(`${maps}?${short}&fieldSelector=metadata.name%3Dd&${query}`, {
      accept: query.startsWith("include") ? table : "application/json",
    });
  }
  s.get(`/api/v1/watch/namespaces/diff-protocol/configmaps?timeoutSeconds=1&fieldSelector=metadata.name%3Dd`)
    .get(`/api/v1/watch/namespaces/diff-protocol/configmaps/d?timeoutSeconds=1`)
    .get(`${core}/endpoints?${short}`)
    .get(`${core}/configmaps/missing?${short}`);
}

/** Deletion of whole collections, of kinds that answer in different ways. */
function collections(s: Script, core: string): void {
  for (const name of ["c1", "c2", "c3"]) {
    s.post(`${core}/secrets`, {
      ...object("v1", "Secret", name),
      metadata: { name, labels: { part: name === "c3" ? "b" : "a" } },
    });
  }
  s.delete(`${core}/secrets?labelSelector=part%3Da&dryRun=All`)
    .delete(`${core}/secrets?labelSelector=part%3Da`)
    .get(`${core}/secrets`, { accept: partialList })
    .delete(`${core}/secrets?fieldSelector=metadata.name%3Dc3`, { propagationPolicy: "Foreground" })
    .get(`${core}/secrets`, { accept: partialList })
    .delete(`${core}/secrets?fieldSelector=spec.x%3D1`)
    .delete(`${core}/secrets?limit=1`)
    .delete(`${core}/secrets`, { preconditions: { uid: "x" } })
    .delete(`${core}/services`)
    .delete("/api/v1/secrets")
    .delete(`${core}/pods`)
    .delete(`${core}/serviceaccounts`);
}

function negotiation(s: Script, maps: string): void {
  for (const accept of [
    "application/yaml",
    protobuf,
    `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
    `${protobuf};as=Table;v=v1;g=meta.k8s.io`,
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io",
    "application/cbor",
    "application/json;q=0.1,application/yaml",
    "application/*",
    "",
  ]) {
    s.get(`${maps}/d`, { accept }).get(`${maps}?fieldSelector=metadata.name%3Dd`, { accept });
  }
  s.get(`${maps}/d`, { accept: partialList }).get(`${maps}?fieldSelector=metadata.name%3Dd`, { accept: partial });
  s.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "{}", { accept: table }).get("/apis", {
    accept: table,
  });
}

/** All kinds once more, as protobuf and as metadata alone. */
export function forms(): Script {
  const { script: s } = inNamespace("diff-forms");
  for (const { version, plural, clusterWide, object: sample } of samples) {
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const collection = clusterWide ? `${root}/${plural}` : `${root}/namespaces/diff-forms/${plural}`;
    const { name } = (sample as { metadata: { name: string } }).metadata;
    if (plural === "flowschemas" || (plural === "events" && version !== "v1")) continue;
    const placed = JSON.parse(JSON.stringify(sample).replaceAll("diff-kinds", "diff-forms")) as object;
    const only = `${collection}?fieldSelector=metadata.name%3D${name}`;
    s.post(collection, placed, { accept: protobuf })
      .get(only, { accept: protobuf })
      .get(only, { accept: `${protobuf};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io` })
      .get(only, { accept: table })
      .get(`${only}&includeObject=Object`, { accept: table })
      .delete(`${collection}/${name}?dryRun=All`)
      .delete(`${collection}?fieldSelector=metadata.name%3D${name}`);
  }
  return s;
}
