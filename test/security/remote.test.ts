/** Users and permissions that other servers know: issuers that are down, slow or hostile, changed files, and webhooks behind every question. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { readAuthenticationConfiguration } from "../../src/apiserver/auth/oidc/configuration.js";
import { Issuers } from "../../src/apiserver/auth/oidc/issuers.js";
import { signingAlgorithms } from "../../src/apiserver/auth/oidc/jwt.js";
import { FakeClock, Lifetime, MetricsRegistry, silentLogger } from "../../src/base/index.js";
import { eventually } from "../eventually.js";
import { issuerDocuments, newKeys, startLoopback, tokenOf } from "../conformance/security/issuer.js";

const keys = newKeys();

const configuration = (url: string, ca: string, prefix = "p:"): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url, audiences: ["a"], certificateAuthority: ca },
        claimMappings: { username: { claim: "sub", prefix } },
      },
    ],
  });

const claimsOf = (iss: string, more: object = {}): object => ({
  iss,
  aud: "a",
  sub: "jane",
  exp: 4_000_000_000,
  ...more,
});

test("an issuer that is down or hostile refuses tokens until it is found, and the server looks again every ten seconds", async () => {
  await using lifetime = new Lifetime();
  let state: "down" | "long" | "other" | "up" = "down";
  const documents = issuerDocuments(() => [keys.rsa]);
  const issuer = lifetime.use(
    await startLoopback((request) => {
      if (state === "down") return { status: 503, body: "later" };
      if (state === "long") return { body: "x".repeat(4 * 1024 * 1024) };
      if (state === "other") return { body: { issuer: "https://else", jwks_uri: "https://else" } };
      return documents(request);
    }),
  );
  const url = `${issuer.url}/plain`;
  const clock = new FakeClock({ startMs: 1_800_000_000_000 });
  const { issuers: read } = readAuthenticationConfiguration(configuration(url, issuer.ca));
  const metrics = new MetricsRegistry();
  const issuers = new Issuers({ clock, log: silentLogger, metrics, algorithms: signingAlgorithms });
  lifetime.use(issuers.start(read));
  const token = tokenOf(claimsOf(url), keys.rsa, "RS256");
  for (const next of ["long", "other", "up"] as const) {
    await eventually("the issuer was asked", () => issuer.requests.length > 0);
    const before = issuer.requests.length;
    expect(issuers.userOf(token)).toEqual({ type: "refused", why: "oidc: authenticator not initialized" });
    state = next;
    // in small steps, so that a request that is under way has its time
    await eventually("the issuer was asked again", async () => {
      await clock.advance(200);
      return issuer.requests.length > before;
    });
  }
  await eventually("the token is good", async () => "username" in ((await issuers.userOf(token)) ?? {}));
  expect(await issuers.userOf(token)).toMatchObject({ username: "p:jane" });
  // a good token is remembered: no key is looked up, and nothing is waited for
  expect(issuers.userOf(token)).not.toBeInstanceOf(Promise);
});

const seen = async (server: ApiServer, token: string): Promise<string> => {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const body = Buffer.from('{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}');
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" };
  const answer = await server.handle({ method: "POST", path, headers, body }, new AbortController().signal);
  const { status } = JSON.parse(Buffer.from(answer.body as Uint8Array).toString()) as {
    status: { userInfo?: { username: string } };
  };
  return status.userInfo?.username ?? String(answer.status);
};

test("a changed configuration is in force soon, and a faulty one is not", async () => {
  await using lifetime = new Lifetime();
  const folder = await mkdtemp(join(tmpdir(), "coxswain-changed-"));
  lifetime.defer(() => rm(folder, { recursive: true }));
  const issuer = lifetime.use(await startLoopback(issuerDocuments(() => [keys.rsa])));
  const [url, file] = [`${issuer.url}/plain`, join(folder, "configuration")];
  await writeFile(file, configuration(url, issuer.ca));
  const metrics = new MetricsRegistry();
  const server = lifetime.use(await startApiServer({ authentication: { configuration: { file } }, metrics }));
  let count = 0;
  const name = (): Promise<string> => seen(server, tokenOf(claimsOf(url, { jti: String(count++) }), keys.rsa, "RS256"));
  await eventually("the issuer is known", async () => (await name()) === "p:jane");
  await writeFile(file, configuration("http://insecure", issuer.ca));
  const failures = metrics.counter({
    name: "apiserver_authentication_config_controller_automatic_reloads_total",
    help: "Reloads of the authentication configuration, by their outcome.",
    labels: ["status"],
  });
  await eventually("the fault is found", () => failures.with({ status: "failure" }).value > 0);
  expect(await name()).toBe("p:jane");
  await writeFile(file, configuration(url, issuer.ca, "q:"));
  await eventually("the change is in force", async () => (await name()) === "q:jane");
});

test("a webhook answers for every permission: of requests, of roles that grant more, and of expressions in policies", async () => {
  await using lifetime = new Lifetime();
  const asked: string[] = [];
  const hook = lifetime.use(
    await startLoopback(({ body }) => {
      const { resourceAttributes: about = {} } = body.spec;
      asked.push(`${about.verb} ${about.resource}`);
      const allowed = about.verb !== "forbid";
      return { body: { kind: body.kind, apiVersion: body.apiVersion, status: { allowed } } };
    }),
  );
  const server = lifetime.use(
    await startApiServer({
      systemObjects: "at once",
      authorization: [
        "RBAC",
        { type: "Webhook", endpoint: { url: hook.url, ca: hook.ca }, authorizedTtlMs: 0, unauthorizedTtlMs: 0 },
      ],
    }),
  );
  const jane = server.transport({ username: "jane", groups: [] });
  const send = async (
    path: string,
    value: object,
    who = jane,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const request = { method: "POST", path, headers, body: Buffer.from(JSON.stringify(value)) };
    const { status, body } = await who(request, new AbortController().signal);
    return { status, text: Buffer.from(body as Uint8Array).toString() };
  };
  const rules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  const role = await send("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "r" }, rules });
  expect([role.status, asked]).toEqual([201, ["create clusterroles", "escalate clusterroles"]]);
  const admin = server.transport();
  const registration = "/apis/admissionregistration.k8s.io/v1";
  const check = (verb: string): string => `authorizer.group('').resource('pods').check('${verb}').allowed()`;
  const policy = {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
      variables: [{ name: "may", expression: check("drain") }],
      matchConditions: [{ name: "c", expression: check("judge") }],
      validations: [
        { expression: "variables.may", message: "not drained" },
        { expression: check("forbid"), message: "forbidden by the hook" },
      ],
    },
  };
  const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } };
  await send(`${registration}/validatingadmissionpolicies`, policy, admin);
  await send(`${registration}/validatingadmissionpolicybindings`, binding, admin);
  asked.length = 0;
  const map = await send("/api/v1/namespaces/default/configmaps", { metadata: { name: "m" } });
  expect([map.status, map.text]).toEqual([422, expect.stringContaining("forbidden by the hook")]);
  expect(asked).toEqual(["create configmaps", "judge pods", "drain pods", "forbid pods"]);
});
