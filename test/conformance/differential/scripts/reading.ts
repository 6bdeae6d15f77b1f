/** Lists, selectors, pages, watches, and the server's own documents. */
import { inNamespace, object, partialList, Script, table } from "../script.js";

export function reading(): Script {
  const { script: s, core } = inNamespace("diff-reading");
  const maps = `${core}/configmaps`;
  for (const [name, labels] of [
    ["a", { app: "x", tier: "1" }],
    ["b", { app: "y" }],
    ["c", { app: "x" }],
    ["d", {}],
  ] as const) {
    s.post(maps, { ...object("v1", "ConfigMap", name), metadata: { name, labels } });
  }
  s.get(maps)
    .get(maps, { accept: table })
    .get(maps, { accept: partialList })
    .get(`${maps}?includeObject=Object`, { accept: table });
  s.get(`${maps}?includeObject=None`, { accept: table });
  for (const selector of [
    "app=x",
    "app!=x",
    "app in (x,y)",
    "app notin (x)",
    "app",
    "!app",
    "tier>0",
    "app=x,tier",
    "app==y",
    "a b",
    "app in x",
    "=x",
    "app=bad value!",
  ]) {
    s.get(`${maps}?labelSelector=${encodeURIComponent(selector)}`, { accept: partialList });
  }
  for (const selector of [
    "metadata.name=a",
    "metadata.name!=a",
    "metadata.namespace=diff-reading",
    "spec.x=y",
    "metadata.name",
    "metadata.name=a,metadata.name=b",
    "data.x=1",
  ]) {
    s.get(`${maps}?fieldSelector=${encodeURIComponent(selector)}`, { accept: partialList });
  }
  for (const selector of [
    "regarding.kind=Pod",
    "reportingController=x,type=Normal",
    "involvedObject.kind=Pod",
    "source=x",
  ]) {
    const query = `?fieldSelector=${encodeURIComponent(selector)}`;
    s.get(`/apis/events.k8s.io/v1/namespaces/diff-reading/events${query}`).get(`${core}/events${query}`);
  }
  for (const timeout of ["invalid", "5", "0s", "10m"]) s.get(`${maps}?timeout=${timeout}`, { accept: partialList });
  s.get(`${maps}?limit=2`, { accept: partialList })
    .get(`${maps}?limit=2&labelSelector=app`, { accept: partialList })
    .get(`${maps}?limit=100`, { accept: partialList });
  s.get(`${maps}?limit=x`)
    .get(`${maps}?limit=-1`, { accept: partialList })
    .get(`${maps}?continue=nonsense`)
    .get(`${maps}?continue=e30`);
  s.get(`${maps}?resourceVersion=0`, { accept: partialList }).get(`${maps}?resourceVersion=0&limit=1`, {
    accept: partialList,
  });
  s.get(`${maps}?resourceVersion=x`)
    .get(`${maps}?resourceVersionMatch=Exact`)
    .get(`${maps}?resourceVersion=0&resourceVersionMatch=Exact`);
  s.get(`${maps}?resourceVersion=1&resourceVersionMatch=Nonsense`).get(
    `${maps}?resourceVersion=0&resourceVersionMatch=NotOlderThan`,
    { accept: partialList },
  );
  s.get(`${maps}?sendInitialEvents=true`).get(`${maps}/a?resourceVersion=0`).get(`${maps}/a?resourceVersion=x`);
  watches(s, maps);
  paths(s, core);
  return s;
}

function watches(s: Script, maps: string): void {
  const short = "watch=1&timeoutSeconds=1";
  s.get(`${maps}?${short}`).get(`${maps}?${short}&resourceVersion=0`).get(`${maps}?${short}&labelSelector=app%3Dx`);
  s.get(`${maps}?${short}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
  s.get(`${maps}?${short}&sendInitialEvents=true`).get(`${maps}?${short}&resourceVersionMatch=NotOlderThan`);
  s.get(`${maps}?${short}&sendInitialEvents=true&resourceVersionMatch=Exact`).get(`${maps}?${short}&resourceVersion=x`);
  s.get(`${maps}?${short}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
  s.get(`${maps}?${short}&resourceVersion=1`).get(`${maps}/a?${short}`).get(`${maps}?${short}`, { accept: table });
  s.get(`${maps}?${short}&fieldSelector=metadata.name%3Da`, {
    accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  });
  s.get(`${maps}?watch=1&timeoutSeconds=x`);
}

function paths(s: Script, core: string): void {
  for (const path of [
    "/api",
    "/api/v1",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/apis/nonsense",
    "/apis/apps/v9",
    "/api/v9",
    "/nonsense",
    "/api/v1/nonsense",
    "/apis/apps/v1/nonsense",
    "/api/v1/namespaces/diff-reading/nonsense",
    "/api/v1/pods/a",
    "/api/v1/nodes/a",
    "/api/v1/namespaces/diff-reading/nodes",
    "/api/v1/namespaces/diff-reading/configmaps/a/status",
    "/api/v1/namespaces/diff-reading/pods/a/nonsense",
    "/healthz",
    "/livez",
    "/healthz?verbose",
    "/livez?verbose",
    "/readyz?verbose",
    "/healthz/ping",
    "/healthz/nonsense",
    "/apis/nonsense/v1/things",
    "/apis/apps/v1/namespaces/diff-reading/deployments/x/scale",
    "/api/v1/componentstatuses/x",
    "/apis/metrics.k8s.io",
  ]) {
    s.get(path);
  }
  s.send("PUT", `${core}/configmaps`, {}).send(
    "PATCH",
    `${core}/configmaps`,
    {},
    { type: "application/merge-patch+json" },
  );
  s.send("POST", `${core}/configmaps/a`, {})
    .send("POST", "/api/v1/configmaps", object("v1", "ConfigMap", "x"))
    .send("OPTIONS", `${core}/configmaps`);
  s.send("DELETE", "/api/v1/namespaces")
    .send("HEAD", `${core}/configmaps/a`)
    .send("DELETE", "/version")
    .send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "{}");
}
