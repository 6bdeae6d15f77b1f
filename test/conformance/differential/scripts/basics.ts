/** Scripts about single objects: create, read, write, delete, and the faults of such requests. */
import { inNamespace, object, partial, Script, table } from "../script.js";

const cm = (name: string, rest: object = {}): object => object("v1", "ConfigMap", name, rest);

export function basics(): Script {
  const { script: s, core } = inNamespace("diff-basics");
  const maps = `${core}/configmaps`;
  s.get("/api/v1/namespaces/diff-basics");
  s.post(maps, cm("a", { data: { x: "1" } }))
    .get(`${maps}/a`)
    .post(maps, cm("a"));
  s.get(`${maps}/missing`).get(`${maps}/a`, { accept: table }).get(`${maps}/a`, { accept: partial });
  s.put(`${maps}/a`, cm("a", { data: { x: "2" } }))
    .put(`${maps}/missing`, cm("missing"))
    .put(`${maps}/a`, cm("b"));
  s.put(`${maps}/a`, { ...cm("a"), metadata: { name: "a", resourceVersion: "1" } });
  s.put(`${maps}/a`, { ...cm("a"), metadata: { name: "a", uid: "00000000-0000-4000-8000-000000000000" } });
  s.put(`${maps}/a`, { ...cm("a"), metadata: {} });
  s.put(`${maps}/a`, { ...cm("a"), metadata: { name: "a", namespace: "other" } });
  s.post(maps, { ...cm("n"), metadata: { name: "n", namespace: "other" } });
  s.post(maps, { ...cm("n"), metadata: { name: "n", resourceVersion: "5" } });
  s.post(maps, { ...cm("n"), metadata: { name: "UPPER", resourceVersion: "5" } });
  s.post(maps, { ...cm("n"), metadata: { name: "a", resourceVersion: "5" } });
  s.post(`${maps}?dryRun=All`, { ...cm("n"), metadata: { name: "n", resourceVersion: "5" } });
  s.post(maps, { ...cm("n"), metadata: {} }).post(maps, { kind: "ConfigMap", apiVersion: "v1" });
  for (const name of ["UPPER", "a_b", "-a", "a..b", "a/b", "x".repeat(254), "ok.dots-and-1"]) s.post(maps, cm(name));
  s.post(maps, { ...cm("g"), metadata: { generateName: "BAD-" } });
  s.post(maps, { ...cm("l"), metadata: { name: "l", labels: { "bad key": "v" } } });
  s.post(maps, { ...cm("l"), metadata: { name: "l", labels: { a: "bad value!" } } });
  s.post(maps, { ...cm("l"), metadata: { name: "l", labels: { "a/b/c": "v" } } });
  s.post(maps, { ...cm("l"), metadata: { name: "l", annotations: { "bad key": "v" } } });
  s.post(maps, { ...cm("l"), metadata: { name: "l", finalizers: ["nodomain"] } });
  s.post(maps, { ...cm("l"), metadata: { name: "l", finalizers: ["Bad_/x"] } });
  s.post(maps, {
    ...cm("o"),
    metadata: { name: "o", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p" }] },
  });
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
  s.post(maps, { ...cm("o"), metadata: { name: "o", ownerReferences: [owner, { ...owner, uid: "u2", name: "q" }] } });
  s.post(maps, { ...cm("o"), metadata: { name: "o", ownerReferences: [owner, owner] } });
  s.post(maps, {
    ...cm("o2"),
    metadata: { name: "o2", ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "p", uid: "u" }] },
  });
  s.post(maps, object("v1", "Secret", "wrong"))
    .post(maps, object("v2", "ConfigMap", "wrong"))
    .post(maps, object("apps/v1", "ConfigMap", "wrong"));
  s.post(maps, "not json").post(maps, "[]").post(maps, "").post(maps, '{"kind":5}').post(maps, "null");
  s.post(maps, cm("t", { data: "text" }))
    .post(maps, cm("t", { data: { a: 1 } }))
    .post(maps, cm("t", { data: ["a"] }));
  s.post(maps, { ...cm("t"), metadata: "text" }).post(maps, { ...cm("t"), metadata: { name: 5 } });
  s.post(maps, cm("t", { immutable: "yes" })).post(maps, cm("t", { binaryData: { a: "not base64!" } }));
  s.post(maps, cm("k", { data: { "bad key!": "v" } })).post(
    maps,
    cm("k", { data: { a: "1" }, binaryData: { a: "YQ==" } }),
  );
  s.post(maps, cm("u", { unknown: 1, data: { a: "1" } })).post(
    `${maps}?fieldValidation=Strict`,
    cm("u2", { unknown: 1 }),
  );
  s.post(`${maps}?fieldValidation=Ignore`, cm("u3", { unknown: 1 })).post(`${maps}?fieldValidation=Nonsense`, cm("u4"));
  s.post(maps, '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"d"},"data":{"a":"1","a":"2"}}');
  s.post(
    `${maps}?fieldValidation=Strict`,
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"d2"},"data":{"a":"1","a":"2"}}',
  );
  s.post(`${maps}?dryRun=All`, cm("dry", { data: { a: "1" } }))
    .get(`${maps}/dry`)
    .post(`${maps}?dryRun=Some`, cm("dry"));
  s.put(`${maps}/a?dryRun=All`, cm("a", { data: { x: "dry" } })).get(`${maps}/a`);
  s.delete(`${maps}/a?dryRun=All`).get(`${maps}/a`);
  s.post(maps, "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: yaml\ndata: {a: b}\n", {
    type: "application/yaml",
  });
  s.get(`${maps}/yaml`, { accept: "application/yaml" }).post(maps, cm("x"), { type: "text/plain" });
  s.post(maps, cm("x"), { type: "application/xml" })
    .get(`${maps}/a`, { accept: "text/html" })
    .get(`${maps}/a`, { accept: "*/*" });
  s.get(`${maps}/a`, { accept: "application/json;as=Nonsense;v=v1;g=meta.k8s.io" });
  s.get(`${maps}/a`, { accept: "application/json;as=Table;v=v9;g=meta.k8s.io,application/json" });
  immutability(s, maps);
  deletes(s, maps);
  return s;
}

function immutability(s: Script, maps: string): void {
  s.post(maps, cm("frozen", { immutable: true, data: { a: "1" } })).merge(`${maps}/frozen`, { data: { a: "2" } });
  s.merge(`${maps}/frozen`, { immutable: null }).merge(`${maps}/frozen`, { metadata: { labels: { a: "b" } } });
  s.merge(`${maps}/frozen`, { metadata: { name: "other" } }).merge(`${maps}/frozen`, {
    metadata: { creationTimestamp: null, uid: null },
  });
  s.get(`${maps}/frozen`);
}

function deletes(s: Script, maps: string): void {
  s.delete(`${maps}/missing`).delete(`${maps}/yaml`).get(`${maps}/yaml`);
  s.post(maps, { ...cm("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } });
  s.delete(`${maps}/held`).get(`${maps}/held`).delete(`${maps}/held`).post(maps, cm("held"));
  s.merge(`${maps}/held`, { metadata: { finalizers: ["example.com/hold", "example.com/more"] } });
  s.merge(`${maps}/held`, { data: { still: "writable" } })
    .merge(`${maps}/held`, { metadata: { finalizers: [] } })
    .get(`${maps}/held`);
  for (const policy of ["Orphan", "Foreground", "Background", "Nonsense"]) {
    s.post(maps, cm(`p-${policy.toLowerCase()}`));
    s.delete(`${maps}/p-${policy.toLowerCase()}`, {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: policy,
    });
    s.get(`${maps}/p-${policy.toLowerCase()}`);
  }
  s.post(maps, cm("q")).delete(`${maps}/q?propagationPolicy=Orphan`).get(`${maps}/q`);
  s.post(maps, cm("pre")).delete(`${maps}/pre`, { preconditions: { uid: "00000000-0000-4000-8000-000000000000" } });
  s.delete(`${maps}/pre`, { preconditions: { resourceVersion: "1" } }).delete(`${maps}/pre`, {
    orphanDependents: true,
    propagationPolicy: "Orphan",
  });
  s.delete(`${maps}/pre`, { gracePeriodSeconds: 5 }).delete(`${maps}/pre`, "not json");
  const dryRun = ["All"];
  for (const body of [
    { kind: "Pod", apiVersion: "v1" },
    { kind: "Status", apiVersion: "v1" },
    { kind: "CreateOptions", apiVersion: "v1" },
    { kind: "Widget", apiVersion: "diff.example.com/v1" },
    { kind: "DeleteOptions", apiVersion: "apps/v1" },
    { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
    { kind: "DeleteOptions" },
    { apiVersion: "v2" },
    { gracePeriodSeconds: "x" },
  ]) {
    s.delete(`${maps}/none`, { ...body, dryRun }).delete(maps, { ...body, dryRun });
  }
  s.delete(`${maps}?labelSelector=a=b`).delete(maps).get(maps);
  const events = maps.replace(/configmaps$/, "events");
  const jobs = maps.replace("/api/v1/", "/apis/batch/v1/").replace(/configmaps$/, "jobs");
  s.post(events, {
    ...object("v1", "Event", "e", { involvedObject: {} }),
    metadata: { name: "e", labels: { "bad key!": "" } },
  });
  const held = { name: "e", namespace: "default", finalizers: ["foregroundDeletion"] };
  s.post("/api/v1/namespaces/default/events", {
    ...object("v1", "Event", "e", { involvedObject: {} }),
    metadata: held,
  });
  s.delete("/api/v1/namespaces/default/events/e", { propagationPolicy: "Foreground" });
  s.delete(`${jobs}/none`).delete(jobs).delete(`${jobs}/none?propagationPolicy=Orphan`);
}
