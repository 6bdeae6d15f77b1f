/** ABAC beside a real kube-apiserver: the same file, the same users, the same answers. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lifetime } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";
import { type BothServers, type Json, type SentRequest, startBoth } from "./both-servers.js";

const spec = (fields: object): string =>
  JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec: fields });

const policies = [
  "# users of all sorts",
  "",
  spec({ user: "alice", namespace: "*", resource: "*", apiGroup: "*" }),
  spec({ user: "bob", namespace: "default", resource: "configmaps", readonly: true }),
  spec({ user: "bob", namespace: "*", resource: "deployments", apiGroup: "apps" }),
  spec({ group: "readers", namespace: "*", resource: "*", apiGroup: "", readonly: true }),
  spec({ user: "carol", group: "readers", namespace: "default", resource: "secrets" }),
  spec({ user: "*", nonResourcePath: "/version" }),
  spec({ group: "*", nonResourcePath: "/healthz*", readonly: true }),
  spec({ user: "dave", nonResourcePath: "*" }),
  spec({ user: "erin" }),
  `  ${JSON.stringify({ user: "old" })}`,
  JSON.stringify({ user: "older", namespace: "default", readonly: true, nothing: "of note" }),
  JSON.stringify({ kind: "Policy", group: "elders", resource: "configmaps" }),
  JSON.stringify({ user: "*", namespace: "starred" }),
  JSON.stringify({
    apiVersion: "abac.authorization.kubernetes.io/v0",
    kind: "Policy",
    user: "dated",
    resource: "jobs",
  }),
  spec({ user: "nobody-else", group: "*", namespace: "both" }),
  spec({ user: "frank", namespace: "*", resource: "deployments/scale", apiGroup: "apps" }),
  spec({ user: "frank", nonResourcePath: "/open*pi/v3" }),
  spec({ user: "frank", nonResourcePath: "/version**" }),
].join("\n");

const users: Readonly<Record<string, readonly string[]>> = {
  alice: [],
  bob: [],
  carol: ["readers"],
  reader: ["readers"],
  "carol-alone": [],
  dave: [],
  erin: [],
  old: [],
  older: [],
  elder: ["elders"],
  dated: [],
  frank: [],
  stranger: [],
  "system:anonymous": [],
};

const maps = "/api/v1/namespaces/default/configmaps";
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };
const questions: readonly SentRequest[] = [
  { path: maps },
  { path: "/api/v1/configmaps" },
  { method: "POST", path: `${maps}?dryRun=All`, body: map },
  { method: "DELETE", path: "/api/v1/namespaces/default/secrets/none" },
  { path: "/api/v1/namespaces/default" },
  { path: "/apis/apps/v1/namespaces/default/deployments/none/scale" },
  { path: "/apis/batch/v1/namespaces/default/jobs" },
  { path: "/api/v1/namespaces/starred/secrets" },
  { path: "/api/v1/namespaces/both/pods" },
  { path: "/version" },
  { path: "/healthz/ping" },
  { path: "/openapi/v3" },
  { method: "POST", path: "/healthz" },
  {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    body: { kind: "SelfSubjectRulesReview", apiVersion: "authorization.k8s.io/v1", spec: { namespace: "default" } },
  },
];

const configuration = `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers: [{ type: ABAC, name: abac }]
`;

test("docs/compatibility.md states the number of cases", () => {
  expect(Object.keys(users).length * questions.length).toBe(statedCount("requests under policies of ABAC"));
});

test.skipIf(envtestAssets() === undefined)(
  "policies permit and refuse as on a real server",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-abac-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const [policyFile, configurationFile] = [join(folder, "policies"), join(folder, "configuration.yaml")];
    await writeFile(policyFile, policies);
    await writeFile(configurationFile, configuration);
    const both = lifetime.use(
      await startBoth({
        flags: [`--authorization-config=${configurationFile}`, `--authorization-policy-file=${policyFile}`],
        own: { authorization: [{ type: "ABAC", policies: { file: policyFile } }] },
      }),
    );
    for (const [user, groups] of Object.entries(users)) {
      const headers = { "impersonate-user": user, ...(groups.length > 0 && { "impersonate-group": groups }) };
      for (const question of questions) {
        const sent = { ...question, headers };
        const [real, own] = [plain(await both.sendReal(sent)), plain(await both.sendOwn(sent))];
        const name = `${user}: ${question.method ?? "GET"} ${question.path}`;
        expect({ name, ...own }).toEqual({ name, ...real });
      }
    }
  },
  5 * patienceMs,
);

/** Of what a user may read, that it may be read; texts of versions and documents differ. */
function plain({ status, body }: Awaited<ReturnType<BothServers["sendReal"]>>): Json {
  if (status === 200) return { status };
  const { metadata: _, ...rest } = body;
  return { status, body: rest };
}
