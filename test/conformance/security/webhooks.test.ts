/** Webhooks for tokens and permissions beside a real kube-apiserver: the same questions, and the same use of the answers. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readHookEndpoint } from "../../../src/apiserver/index.js";
import { Lifetime } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";
import { type BothServers, type Json, type SentRequest, startBoth } from "./both-servers.js";
import { hookConfig, startLoopback } from "./issuer.js";

const users: Readonly<Record<string, object>> = {
  jane: { username: "jane", uid: "u-1", groups: ["devs"], extra: { "example.com/team": ["red", "blue"] } },
  joe: { username: "joe" },
  unlucky: { username: "unlucky", groups: ["unlucky"] },
  nobody: { username: "system:anonymous", groups: ["system:unauthenticated"] },
};

/** The webhook's answer to a TokenReview: the token is the name of its user. */
function tokenStatus({ token, audiences }: Json): object {
  if (token === "elsewhere") return { authenticated: true, user: users["jane"], audiences: ["others"] };
  if (token === "bound") return { authenticated: true, user: users["jane"], audiences };
  if (token === "refused") return { authenticated: false, error: "the token is stolen" };
  const user = users[token];
  return user === undefined ? { authenticated: false } : { authenticated: true, user };
}

/** The answer to a SubjectAccessReview about config maps: their name says what to do. */
function accessStatus({ resourceAttributes: { name = "", verb } }: Json): object {
  if (name === "denied") return { allowed: false, denied: true, reason: "denied by the hook" };
  if (name === "both") return { allowed: true, denied: true, reason: "undecided" };
  if (name === "opinion") return { allowed: false, reason: "the hook has no opinion" };
  return { allowed: verb === "get" || verb === "list", reason: `the hook judged ${verb}` };
}

const configuration = (folder: string): string => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
  - type: Webhook
    name: maps
    webhook:
      timeout: 10s
      subjectAccessReviewVersion: v1
      matchConditionSubjectAccessReviewVersion: v1
      failurePolicy: Deny
      cacheAuthorizedRequests: false
      unauthorizedTTL: 10s
      connectionInfo: { type: KubeConfigFile, kubeConfigFile: ${join(folder, "access")} }
      matchConditions:
        - expression: has(request.resourceAttributes)
        - expression: request.resourceAttributes.resource == 'configmaps'
        - expression: "!('unlucky' in request.groups)"
  - type: Webhook
    name: broken-condition
    webhook:
      timeout: 10s
      subjectAccessReviewVersion: v1
      matchConditionSubjectAccessReviewVersion: v1
      failurePolicy: NoOpinion
      connectionInfo: { type: KubeConfigFile, kubeConfigFile: ${join(folder, "access")} }
      matchConditions:
        - expression: request.resourceAttributes.resource == 'secrets' && request.resourceAttributes.fieldSelector.requirements.size() > 0
        - expression: "request.resourceAttributes.resource == 'secrets'"
  - type: RBAC
    name: rbac
  - type: Webhook
    name: down
    webhook:
      timeout: 10s
      subjectAccessReviewVersion: v1
      matchConditionSubjectAccessReviewVersion: v1
      failurePolicy: NoOpinion
      connectionInfo: { type: KubeConfigFile, kubeConfigFile: ${join(folder, "down")} }
      matchConditions: [{ expression: "'unlucky' in request.groups" }]
`;

const maps = "/api/v1/namespaces/default/configmaps";
const access = (spec: object): SentRequest => ({
  method: "POST",
  path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  body: { kind: "SubjectAccessReview", apiVersion: "authorization.k8s.io/v1", spec },
});
const about = (resource: string, more: object = {}): object => ({
  user: "joe",
  resourceAttributes: { namespace: "default", verb: "get", resource, ...more },
});
const self = (token: string): SentRequest => ({
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" },
  token,
});
const review = (token: string, audiences: readonly string[] = []): SentRequest => ({
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/tokenreviews",
  body: { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", spec: { token, audiences } },
});
const rules: SentRequest = {
  method: "POST",
  path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
  body: { kind: "SelfSubjectRulesReview", apiVersion: "authorization.k8s.io/v1", spec: { namespace: "default" } },
};

const script: Readonly<Record<string, SentRequest>> = {
  "who is jane": self("jane"),
  "who is jane again": self("jane"),
  "who is joe": self("joe"),
  "who is nobody": self("nobody"),
  "a token for others": self("elsewhere"),
  "a bound token": self("bound"),
  "a stolen token": self("refused"),
  "an unknown token": self("unknown"),
  "review of jane": review("jane"),
  "review of jane for others": review("jane", ["others"]),
  "review of a token for others": review("elsewhere", ["others", "more"]),
  "review of a stolen token": review("refused"),
  "review of an unknown token": review("unknown"),
  "allowed by the hook": { path: maps, token: "jane" },
  "selected by labels and fields": {
    path: `${maps}?labelSelector=a%3Db%2Cc%20in%20(d%2Ce)%2C!f&fieldSelector=metadata.name%3Dx`,
    token: "jane",
  },
  "denied by the hook": { path: `${maps}/denied`, token: "jane" },
  "denied again": { path: `${maps}/denied`, token: "jane" },
  "allowed and denied": { path: `${maps}/both`, token: "jane" },
  "left to roles": { method: "DELETE", path: `${maps}/opinion`, token: "jane" },
  "left to roles, which allow": { path: "/api", token: "jane" },
  "not asked about": { path: "/api/v1/namespaces/default/pods", token: "jane" },
  "a broken condition": { path: "/api/v1/namespaces/default/secrets", token: "jane" },
  "a condition that holds": {
    path: "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dx",
    token: "jane",
  },
  "a hook that is down": { path: "/api/v1/namespaces/default/pods", token: "unlucky" },
  "a hook that is down, and allowed by roles": { path: "/api", token: "unlucky" },
  "a path with characters": { path: "/metrics?a=<b>&c", token: "unlucky" },
  "access review": access(about("configmaps")),
  "access review of a denied one": access(about("configmaps", { name: "denied" })),
  "access review of a doubtful one": access(about("configmaps", { name: "both" })),
  "access review left to roles": access(about("pods")),
  "access review with a hook that is down": access({ ...about("pods"), groups: ["unlucky"] }),
  "access review of a path": access({ user: "joe", nonResourceAttributes: { path: "/healthz", verb: "get" } }),
  "access review with selectors": access(
    about("configmaps", {
      verb: "list",
      labelSelector: { requirements: [{ key: "a", operator: "In", values: ["b"] }] },
      fieldSelector: { requirements: [{ key: "metadata.name", operator: "In", values: ["x"] }] },
    }),
  ),
  "rules of jane": { ...rules, token: "jane" },
  "impersonated, as the hook allows": {
    path: maps,
    headers: { "impersonate-user": "joe", "impersonate-extra-example.com%2fteam": "green" },
  },
  "impersonation by jane": { path: maps, token: "jane", headers: { "impersonate-user": "joe" } },
};

test("docs/compatibility.md states the number of cases", () => {
  expect(Object.keys(script).length).toBe(statedCount("requests with webhooks"));
});

test.skipIf(envtestAssets() === undefined)(
  "questions and their answers are those of a real server",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-hooks-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const hook = lifetime.use(
      await startLoopback(({ path, body }) => {
        const status = path.includes("tokens") ? tokenStatus(body.spec) : accessStatus(body.spec);
        return { body: { kind: body.kind, apiVersion: body.apiVersion, status } };
      }),
    );
    const files: Record<"real" | "own", string> = { real: join(folder, "real"), own: join(folder, "own") };
    for (const [who, place] of Object.entries(files)) {
      await mkdir(place);
      await writeFile(join(place, "tokens"), hookConfig(`${hook.url}/${who}/tokens`, hook.ca));
      await writeFile(join(place, "access"), hookConfig(`${hook.url}/${who}/access`, hook.ca));
      await writeFile(join(place, "down"), hookConfig("https://127.0.0.1:1/down", hook.ca));
      await writeFile(join(place, "authorization.yaml"), configuration(place));
    }
    const both = lifetime.use(
      await startBoth({
        flags: [
          `--authentication-token-webhook-config-file=${join(files.real, "tokens")}`,
          "--authentication-token-webhook-version=v1",
          `--authorization-config=${join(files.real, "authorization.yaml")}`,
        ],
        own: {
          authentication: { webhook: { endpoint: await readHookEndpoint(join(files.own, "tokens")), version: "v1" } },
          authorization: { configuration: { file: join(files.own, "authorization.yaml") } },
        },
      }),
    );
    for (const [name, request] of Object.entries(script)) {
      const before = hook.requests.length;
      const [real, own] = [plain(await both.sendReal(request)), plain(await both.sendOwn(request))];
      expect({ name, ...own }).toEqual({ name, ...real });
      const asked = hook.requests.slice(before).filter(({ body }) => body.spec.user !== "system:apiserver");
      const of = (who: string): Json =>
        asked.flatMap(({ path, body }) => (path.startsWith(`/${who}/`) ? [shown(path, body)] : []));
      expect({ name, asked: of("own") }).toEqual({ name, asked: of("real") });
    }
  },
  5 * patienceMs,
);

const shown = (path: string, body: Json): Json => {
  const { metadata: _, status: _status, ...rest } = body;
  return { path: path.replace(/^\/(?:real|own)/, ""), ...rest };
};

/** Times and versions differ. */
function plain({ status, body }: Awaited<ReturnType<BothServers["sendReal"]>>): Json {
  const text = JSON.stringify(body, (key, value: Json) => {
    if (key === "metadata" || key === "serverAddress") return undefined;
    // the order of rules is that of a Go map
    if (key === "nonResourceRules" || key === "resourceRules")
      return value.map((rule: Json) => JSON.stringify(rule)).sort();
    return key === "items" ? "ITEMS" : value;
  });
  return { status, body: JSON.parse(text.replaceAll("/real/", "/SERVER/").replaceAll("/own/", "/SERVER/")) };
}
