/** Tokens of configured issuers beside a real kube-apiserver: the same users, the same refusals in the same words. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lifetime, systemClock } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { eventually, patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";
import { type BothServers, type Json, startBoth } from "./both-servers.js";
import { issuerDocuments, newKeys, startLoopback, tokenOf } from "./issuer.js";

const indented = (text: string, by: number): string =>
  text
    .trim()
    .split("\n")
    .join(`\n${" ".repeat(by)}`);

function configuration(url: string, ca: string): string {
  const authority = `certificateAuthority: |\n        ${indented(ca, 8)}`;
  return `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer:
      url: ${url}/plain
      audiences: [kubernetes]
      ${authority}
    claimMappings:
      username: { claim: sub, prefix: "plain:" }
      groups: { claim: roles, prefix: "plain:" }
      uid: { claim: id }
    claimValidationRules:
      - { claim: hd, requiredValue: example.com }
  - issuer:
      url: ${url}/rules
      audiences: [kubernetes, other]
      audienceMatchPolicy: MatchAny
      ${authority}
    claimMappings:
      username: { expression: "'rules:' + claims.sub" }
      groups: { expression: "claims.?roles.orValue([])" }
      uid: { expression: "claims.?id.orValue('')" }
      extra:
        - { key: example.com/tenant, valueExpression: "claims.?tenant.orValue('')" }
        - { key: example.com/level, valueExpression: "has(claims.level) ? string(claims.level) : ''" }
        - { key: example.com/nested, valueExpression: "has(claims.a__dot__b) ? claims.a__dot__b.c : ''" }
    claimValidationRules:
      - { expression: "!has(claims.banned) || claims.banned == false", message: "the token is banned" }
    userValidationRules:
      - { expression: "!user.username.startsWith('rules:system:')", message: "reserved names are not allowed" }
      - { expression: "user.groups.all(group, !group.startsWith('system:'))", message: "reserved groups" }
  - issuer:
      url: ${url}/hidden
      discoveryURL: ${url}/hidden/elsewhere
      audiences: [kubernetes]
      ${authority}
    claimMappings:
      username: { claim: email, prefix: "" }
  - issuer:
      url: https://127.0.0.1:1/down
      audiences: [kubernetes]
      ${authority}
    claimMappings:
      username: { claim: sub, prefix: "" }
anonymous:
  enabled: true
  conditions: [{ path: /livez }, { path: /version }]
`;
}

test.skipIf(envtestAssets() === undefined)(
  "each token is that of the same user, or is refused in the same words, as on a real server",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-issuers-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const keys = newKeys();
    const { stranger: _, ...published } = keys;
    let served = Object.values(published);
    const issuer = lifetime.use(await startLoopback(issuerDocuments(() => served)));
    const file = join(folder, "authentication.yaml");
    const text = configuration(issuer.url, issuer.ca);
    await writeFile(file, text);
    const both = lifetime.use(
      await startBoth({
        flags: [`--authentication-config=${file}`],
        own: { authentication: { configuration: { file } }, anonymous: false },
      }),
    );
    const inAnHour = Math.floor(systemClock.now() / 1000) + 3600;
    const plain = {
      iss: `${issuer.url}/plain`,
      aud: "kubernetes",
      sub: "jane",
      exp: inAnHour,
      hd: "example.com",
      id: "7",
    };
    const rules = { iss: `${issuer.url}/rules`, aud: ["x", "other"], sub: "joe", exp: inAnHour };
    const hidden = { iss: `${issuer.url}/hidden`, aud: "kubernetes", email: "a@example.com", exp: inAnHour };
    const by = (claims: object): string => tokenOf(claims, keys.rsa, "RS256");
    const tokens: Readonly<Record<string, string>> = {
      RS256: by(plain),
      RS384: tokenOf(plain, keys.rsa, "RS384"),
      RS512: tokenOf(plain, keys.rsa, "RS512"),
      PS256: tokenOf(plain, keys.rsa, "PS256"),
      PS384: tokenOf(plain, keys.rsa, "PS384"),
      PS512: tokenOf(plain, keys.rsa, "PS512"),
      ES256: tokenOf(plain, keys.p256, "ES256"),
      ES384: tokenOf(plain, keys.p384, "ES384"),
      ES512: tokenOf(plain, keys.p521, "ES512"),
      "without the id of its key": tokenOf(plain, keys.p256, "ES256", ""),
      "an algorithm that does not fit the key": tokenOf(plain, keys.p256, "ES256", "rsa"),
      "an unknown key": tokenOf(plain, keys.stranger, "RS256", "unknown"),
      "another's key": tokenOf(plain, keys.stranger, "RS256"),
      "no signature": `${by(plain).split(".").slice(0, 2).join(".")}.`,
      "a symmetric algorithm": `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.${by(plain).split(".")[1]}.AAAA`,
      "no algorithm": `${Buffer.from('{"alg":"none"}').toString("base64url")}.${by(plain).split(".")[1]}.`,
      ended: by({ ...plain, exp: 1_700_000_000 }),
      "without an end": by({ ...plain, exp: undefined }),
      "an end as text": by({ ...plain, exp: String(inAnHour) }),
      "an end with a fraction": by({ ...plain, exp: inAnHour + 0.5 }),
      "not begun": by({ ...plain, nbf: 4_000_000_000 }),
      "just begun": by({ ...plain, nbf: Math.floor(systemClock.now() / 1000) + 20 }),
      "another audience": by({ ...plain, aud: "others" }),
      "several audiences": by({ ...plain, aud: ["others", "kubernetes"] }),
      "no audience": by({ ...plain, aud: undefined }),
      "no subject": by({ ...plain, sub: undefined }),
      "a name that is a number": by({ ...plain, roles: "admins", id: 7 }),
      "one group": by({ ...plain, roles: "admins" }),
      "two groups": by({ ...plain, roles: ["admins", "users"] }),
      "groups that are numbers": by({ ...plain, roles: [1] }),
      "no groups": by({ ...plain, roles: null }),
      "no uid": by({ ...plain, id: undefined }),
      "an id of the token": by({ ...plain, jti: "token-1" }),
      "a missing required claim": by({ ...plain, hd: undefined }),
      "a wrong required claim": by({ ...plain, hd: "elsewhere.com" }),
      "a required claim of another type": by({ ...plain, hd: true }),
      expressions: by(rules),
      "expressions with everything": by({
        ...rules,
        roles: ["a", "", "b"],
        id: "9",
        tenant: ["t", "u"],
        level: 3,
        "a.b": { c: "d" },
      }),
      "an expression without its claim": by({ ...rules, sub: undefined }),
      "an expression of another type": by({ ...rules, roles: [1, 2] }),
      "an extra value of another type": by({ ...rules, tenant: { a: 1 } }),
      "a rule about claims": by({ ...rules, banned: true }),
      "a rule about users": by({ ...rules, sub: "system:admin" }),
      "a rule about groups": by({ ...rules, roles: ["system:masters"] }),
      "another audience for expressions": by({ ...rules, aud: "third" }),
      "discovery elsewhere": by(hidden),
      "a verified address": by({ ...hidden, email_verified: true }),
      "an address that is not verified": by({ ...hidden, email_verified: false }),
      "an address of doubtful verification": by({ ...hidden, email_verified: "yes" }),
      "an issuer that is down": by({ ...plain, iss: "https://127.0.0.1:1/down" }),
      "an issuer that nobody knows": by({ ...plain, iss: "https://127.0.0.1:1/else" }),
      "no issuer": by({ ...plain, iss: undefined }),
      "no token": "nonsense",
      "four parts": `${by(plain)}.x`,
      "no claims": `${by(plain).split(".")[0]}.bnVsbA.AAAA`,
    };
    expect(Object.keys(tokens).length).toBe(statedCount("tokens of issuers"));
    await eventually("both know the issuers", async () => {
      const all = [by(plain), by(rules), by(hidden)];
      for (const token of all) {
        for (const send of [both.sendReal, both.sendOwn])
          if ((await send({ path: "/livez", token })).status !== 200) return false;
      }
      return true;
    });
    for (const [name, token] of Object.entries(tokens)) {
      const [real, own] = [await seen(both.sendReal, token), await seen(both.sendOwn, token)];
      expect({ name, ...own }).toEqual({ name, ...real });
    }
    for (const path of ["/livez", "/version", "/readyz", "/api/v1/namespaces"]) {
      const [real, own] = [await both.sendReal({ path, token: "" }), await both.sendOwn({ path, token: "" })];
      expect([path, own.status]).toEqual([path, real.status]);
    }
    // a new key is found by the first token that it has signed; an old one goes with the next look at the keys
    const next = { ...keys.stranger, id: "next" };
    served = [next];
    const renewed = tokenOf(plain, next, "RS256");
    const [real, own] = [await seen(both.sendReal, renewed), await seen(both.sendOwn, renewed)];
    expect(own).toEqual(real);
    expect(own.self).toMatchObject({ status: 201 });
    const old = tokenOf({ ...plain, jti: "late" }, keys.rsa, "RS256");
    expect(await seen(both.sendOwn, old)).toEqual(await seen(both.sendReal, old));
  },
  5 * patienceMs,
);

/** The user whom a server sees behind a token, and its opinion of the token. */
async function seen(send: BothServers["sendReal"], token: string): Promise<Readonly<Record<"self" | "review", Json>>> {
  const self = await send({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" },
    token,
  });
  const review = await send({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    body: { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", spec: { token } },
  });
  delete self.body.metadata;
  delete review.body.metadata;
  const text = String(review.body.status.error ?? "");
  // times of the moment
  review.body.status.error = text.replace(/current time .* before/, "current time NOW before");
  return { self, review: review.body.status };
}
