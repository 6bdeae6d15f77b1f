/** The audit events of our server beside those of a real kube-apiserver, for the same policy and the same requests. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lifetime } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { eventually, patienceMs } from "../../eventually.js";
import { type Hook, startHook } from "../../webhook/hook.js";
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
- level: Request
  namespaces: [recorded]
- level: RequestResponse
  namespaces: [default]
  omitStages: [RequestReceived]
- level: Metadata
`;

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, data: object = { a: "1" }): object => ({ metadata: { name }, data });
const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
const pod = { metadata: { generateName: "p-" }, spec: { containers: [{ name: "c", image: "i" }] } };

const namedPod = { ...pod, metadata: { name: "named" } };
const hostPod = { ...namedPod, spec: { ...pod.spec, hostNetwork: true } };

const selected = {
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["noted", "recorded"] }],
  },
};
const configMaps = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };

const webhook = (name: string, { url, caBundle }: Partial<Hook>, more: object = {}): object => ({
  name: `${name}.example.com`,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  clientConfig: { url, caBundle },
  rules: [configMaps],
  ...selected,
  ...more,
});

const patchOf = (...operations: readonly object[]): object => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

interface Hooks {
  /** Adds data, unless it is there. */
  readonly first: Hook;
  /** Adds a label. */
  readonly second: Hook;
  /** Gives a patch that is none. */
  readonly broken: Hook;
  readonly judge: Hook;
}

async function startHooks(lifetime: Lifetime): Promise<Hooks> {
  const start = async (answer: Parameters<typeof startHook>[0]): Promise<Hook> => lifetime.use(await startHook(answer));
  const auditAnnotations = { seen: "yes & <no>", "not/good": "x" };
  return {
    first: await start(({ object }) => {
      if (object === null || object.data.first !== undefined) return { allowed: true, auditAnnotations };
      return { ...patchOf({ value: "<1>", path: "/data/first", op: "add" }), auditAnnotations };
    }),
    second: await start(({ object }) =>
      object === null || object.metadata.labels !== undefined
        ? { allowed: true }
        : patchOf({ op: "add", path: "/data/second", value: "2" }, { op: "add", path: "/metadata/labels", value: {} }),
    ),
    broken: await start(() => ({ allowed: true, patchType: "JSONPatch", patch: "bm9uc2Vuc2U=" })),
    judge: await start(({ object }) => ({
      allowed: object?.data.a !== "refused",
      auditAnnotations: { ...auditAnnotations, verdict: String(object?.data.a) },
    })),
  };
}

const away = { url: "https://127.0.0.1:1/none" };

/** Namespaces with levels, a policy, and webhooks. */
function noted({ first, second, broken, judge }: Hooks): readonly SentRequest[] {
  const level = "pod-security.kubernetes.io";
  const namespace = (name: string, labels: object = {}): SentRequest => ({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name, labels } },
  });
  const registered = (plural: string, body: object): SentRequest => ({
    method: "POST",
    path: `/apis/admissionregistration.k8s.io/v1/${plural}`,
    body,
  });
  const metadata = { name: "noting" };
  return [
    namespace("noted"),
    namespace("strict", { [`${level}/enforce`]: "baseline", [`${level}/audit`]: "restricted" }),
    namespace("recorded", { [`${level}/audit`]: "restricted", [`${level}/audit-version`]: "v1.30" }),
    registered("mutatingwebhookconfigurations", {
      metadata,
      webhooks: [
        webhook("first", first, { reinvocationPolicy: "IfNeeded" }),
        webhook("elsewhere", first, { namespaceSelector: { matchLabels: { none: "none" } } }),
        webhook("second", second),
        webhook("broken", broken, { failurePolicy: "Ignore", rules: [{ ...configMaps, operations: ["CREATE"] }] }),
        webhook("away", away, { failurePolicy: "Ignore" }),
      ],
    }),
    registered("validatingwebhookconfigurations", {
      metadata,
      webhooks: [
        webhook("elsewhere", judge, { namespaceSelector: { matchLabels: { none: "none" } } }),
        webhook("away", away, { failurePolicy: "Ignore" }),
        webhook("judge", judge),
      ],
    }),
    registered("validatingadmissionpolicies", {
      metadata,
      spec: {
        matchConstraints: { resourceRules: [{ ...configMaps, operations: ["CREATE", "UPDATE"] }] },
        validations: [
          { expression: "true" },
          { expression: "object.data.a != 'bad'", message: "a must not be <bad>" },
          { expression: "object.metadata.name != 'bad'" },
        ],
        auditAnnotations: [
          { key: "a", valueExpression: "' a is ' + object.data.a" },
          { key: "none", valueExpression: "null" },
          { key: "blank", valueExpression: "' '" },
        ],
      },
    }),
    registered("validatingadmissionpolicybindings", {
      metadata,
      spec: { policyName: "noting", validationActions: ["Deny", "Audit"], matchResources: selected },
    }),
  ];
}

/** Resolves when the policy and the webhooks are in force, which takes a real server a while. */
async function inForce(
  send: (sent: SentRequest) => Promise<{ readonly status: number; readonly body: Json }>,
): Promise<void> {
  const path = "/api/v1/namespaces/recorded/configmaps?dryRun=All";
  await eventually("the policy and the webhooks are in force", async () => {
    const bad = await send({ method: "POST", path, body: map("bad", { a: "bad" }) });
    const refused = await send({ method: "POST", path, body: map("refused", { a: "refused" }) });
    const good = await send({ method: "POST", path, body: map("good") });
    return bad.status === 422 && refused.status === 400 && good.body.data?.first !== undefined;
  });
}

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
  "pod in a free namespace": { method: "POST", path: "/api/v1/namespaces/noted/pods", body: pod },
  "pod with a status": { method: "PUT", path: "/api/v1/namespaces/noted/pods/named/status", body: namedPod },
  "refused pod": { method: "POST", path: "/api/v1/namespaces/strict/pods", body: hostPod },
  "pod with audited faults": { method: "POST", path: "/api/v1/namespaces/recorded/pods", body: pod },
  "named pod": { method: "POST", path: "/api/v1/namespaces/recorded/pods", body: namedPod },
  "relabelled pod": {
    method: "PATCH",
    path: "/api/v1/namespaces/recorded/pods/named",
    body: { metadata: { labels: { a: "b" } } },
    headers: { "content-type": "application/merge-patch+json" },
  },
  "template with audited faults": {
    method: "POST",
    path: "/api/v1/namespaces/recorded/podtemplates",
    body: { metadata: { name: "t" }, template: { spec: { ...hostPod.spec } } },
  },
  "noted map": { method: "POST", path: "/api/v1/namespaces/noted/configmaps", body: map("n") },
  "recorded map": { method: "POST", path: "/api/v1/namespaces/recorded/configmaps", body: map("n") },
  "map that a policy refuses": {
    method: "POST",
    path: "/api/v1/namespaces/recorded/configmaps",
    body: map("bad", { a: "bad" }),
  },
  "map that a webhook refuses": {
    method: "POST",
    path: "/api/v1/namespaces/recorded/configmaps",
    body: map("refused", { a: "refused" }),
  },
  "deleted map": { method: "DELETE", path: "/api/v1/namespaces/recorded/configmaps/n" },
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
    const hooks = await startHooks(lifetime);
    for (const sent of noted(hooks)) {
      const [real, own] = [await both.sendReal(sent), await both.sendOwn(sent)];
      expect([own.status, real.status], JSON.stringify([own.body, real.body])).toEqual([201, 201]);
    }
    await inForce(both.sendReal);
    await inForce(both.sendOwn);
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
