/** The audit events of our server beside those of a real kube-apiserver, for the same policy and the same requests. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lifetime } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { eventually, patienceMs } from "../../eventually.js";
import { type Json, type SentRequest, startBoth } from "./both-servers.js";

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [Panic]
rules:
- level: None
  users: [kubernetes-admin, system:apiserver]
- level: None
  nonResourceURLs: ["/readyz*"]
- level: Metadata
  resources: [{ group: "", resources: [secrets] }]
- level: RequestResponse
  omitManagedFields: true
  omitStages: [RequestReceived]
  resources: [{ group: "", resources: [configmaps], resourceNames: [quiet] }]
- level: Request
  verbs: [list, watch, get]
  resources: [{ group: "", resources: [configmaps, "pods/*"] }]
- level: RequestResponse
  namespaces: [default]
  omitStages: [RequestReceived]
- level: Metadata
`;

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, data: object = { a: "1" }): object => ({ metadata: { name }, data });
const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
const pod = { metadata: { generateName: "p-" }, spec: { containers: [{ name: "c", image: "i" }] } };

const script: Readonly<Record<string, SentRequest>> = {
  version: { path: "/version" },
  health: { path: "/healthz" },
  "health without credentials": { path: "/healthz", token: "" },
  "wrong token": { path: maps, token: "nonsense" },
  "no token": { path: maps, token: "" },
  "forbidden list": { path: maps, token: "POWERLESS" },
  "forbidden path": { path: "/metrics", token: "POWERLESS" },
  create: { method: "POST", path: maps, body: map("a") },
  "create again": { method: "POST", path: maps, body: map("a") },
  get: { path: `${maps}/a` },
  "get nothing": { path: `${maps}/none` },
  "list in part": { path: `${maps}?labelSelector=a%3Db&limit=5` },
  watch: { path: `${maps}?watch=1`, leave: true },
  update: { method: "PUT", path: `${maps}/a`, body: map("a", { a: "2" }) },
  "update of a name": { method: "PUT", path: `${maps}/a`, body: map("b") },
  patch: {
    method: "PATCH",
    path: `${maps}/a`,
    body: { data: { b: "3" } },
    headers: { "content-type": "application/merge-patch+json" },
  },
  apply: {
    method: "PATCH",
    path: `${maps}/applied?fieldManager=me`,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { x: "y" } },
    headers: { "content-type": "application/apply-patch+yaml" },
  },
  "create quiet": { method: "POST", path: maps, body: map("quiet") },
  "get quiet": { path: `${maps}/quiet` },
  "table of quiet": {
    path: `${maps}/quiet`,
    headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
  },
  secret: { method: "POST", path: "/api/v1/namespaces/default/secrets", body: { metadata: { name: "s" } } },
  "get secret": { path: "/api/v1/namespaces/default/secrets/s" },
  service: { method: "POST", path: "/api/v1/namespaces/default/services?dryRun=All", body: service },
  pod: { method: "POST", path: "/api/v1/namespaces/default/pods?dryRun=All", body: pod },
  "bad body": { method: "POST", path: maps, body: "{" },
  "bad object": { method: "POST", path: maps, body: { metadata: { name: "Not Good" } } },
  impersonated: { path: `${maps}/a`, headers: { "impersonate-user": "jane", "impersonate-group": "g" } },
  "impersonated administrator": {
    path: `${maps}/a`,
    headers: { "impersonate-user": "jane", "impersonate-group": "system:masters", "impersonate-extra-k": "v" },
  },
  review: {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } },
  },
  forwarded: {
    path: `${maps}/a`,
    headers: { "x-forwarded-for": "192.0.2.7, 192.0.2.8", "user-agent": "x".repeat(1100) },
  },
  "unknown path": { path: "/nothing" },
  "unknown resource": { path: "/api/v1/nothing" },
  delete: { method: "DELETE", path: `${maps}/a` },
  "delete with options": { method: "DELETE", path: `${maps}/quiet`, body: { propagationPolicy: "Background" } },
  "delete all": { method: "DELETE", path: `${maps}?labelSelector=none` },
};

/** Times, versions and ids differ. */
function plain(event: Json, token: string): Json {
  const text = JSON.stringify(event, (key, value: Json) => {
    if (["requestReceivedTimestamp", "stageTimestamp", "time"].includes(key)) return "TIME";
    if (["creationTimestamp"].includes(key)) return "TIME";
    if (key === "clusterIP" || key === "clusterIPs") return "ADDRESS";
    if (key === "description") return "PROSE";
    if (key === "name") return String(value).replace(/^p-.{5}$/, "p-RANDOM");
    // admission adds no annotations here
    if (key === "pod-security.kubernetes.io/enforce-policy") return undefined;
    if (["resourceVersion", "uid"].includes(key) && value !== "admin-uid" && value !== "nobody-uid") return "ID";
    if (key === "authentication.kubernetes.io/credential-id") return undefined;
    return value as unknown;
  });
  return JSON.parse(text.replaceAll(token, "TOKEN"));
}

test.skipIf(envtestAssets() === undefined)(
  "the events of a script of requests are those of a real server",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-audit-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const [policyFile, realLog, ownLog] = ["policy.yaml", "real.log", "own.log"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(policyFile, policy);
    const both = lifetime.use(
      await startBoth({
        flags: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${realLog}`],
        own: { audit: { policy, log: { path: ownLog } } },
      }),
    );
    const ids: string[] = [];
    for (const [name, request] of Object.entries(script)) {
      const id = name.replaceAll(" ", "-");
      ids.push(id);
      const token = request.token === "POWERLESS" ? { token: both.real.powerlessToken } : {};
      const sent = { ...request, ...token, headers: { ...request.headers, "audit-id": id } };
      const [real, own] = [await both.sendReal(sent), await both.sendOwn(sent)];
      expect([name, own.status]).toEqual([name, real.status]);
    }
    const eventsOf = async (file: string): Promise<Map<string, Json[]>> => {
      const events = new Map<string, Json[]>(ids.map((id) => [id, []]));
      for (const line of (await readFile(file, "utf8")).split("\n").filter((text) => text !== "")) {
        const event: Json = JSON.parse(line);
        events.get(event.auditID)?.push(plain(event, both.real.token));
      }
      return events;
    };
    const complete = async (file: string): Promise<boolean> => {
      const events = await eventsOf(file);
      return ["watch", "delete-all"].every((id) => events.get(id)?.at(-1)?.stage === "ResponseComplete");
    };
    await eventually("both logs are complete", async () => (await complete(realLog)) && (await complete(ownLog)));
    const [real, own] = [await eventsOf(realLog), await eventsOf(ownLog)];
    for (const id of ids) expect({ id, events: own.get(id) }).toEqual({ id, events: real.get(id) });
  },
  5 * patienceMs,
);
