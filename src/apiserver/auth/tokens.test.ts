import { expect, test } from "vitest";
import { ask, type Json } from "../../../test/ask.js";
import { FakeClock } from "../../base/index.js";
import { startTestServer } from "../../testing/cluster.js";
import type { ApiServer } from "../index.js";
import { knownTokens } from "./known-tokens.js";

const core = "/api/v1/namespaces/default";

async function serverWith(
  ...objects: readonly (readonly [string, object])[]
): Promise<ApiServer & { clock: FakeClock }> {
  const clock = new FakeClock();
  const server = await startTestServer({ clock, disabledAdmission: ["ServiceAccount"] });
  for (const [path, object] of objects) await ask(server, "POST", path, object);
  return Object.assign(server, { clock });
}

const account = (name: string): readonly [string, object] => [`${core}/serviceaccounts`, { metadata: { name } }];
const pod = (name: string, serviceAccountName: string, more: object = {}): readonly [string, object] => [
  `${core}/pods`,
  { metadata: { name, ...more }, spec: { serviceAccountName, containers: [{ name: "c", image: "i" }] } },
];
const node = ["/api/v1/nodes", { metadata: { name: "n" } }] as const;

const request = (server: ApiServer, spec: object, of = "a"): Promise<Json> =>
  ask(server, "POST", `${core}/serviceaccounts/${of}/token`, { spec });

const review = async (server: ApiServer, token: string, audiences: readonly string[] = []): Promise<Json> =>
  (await ask(server, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } })).status;

const bound = (kind: string, name: string): object => ({ boundObjectRef: { kind, apiVersion: "v1", name } });

test("a token that is bound to an object ends with it, and another of its name does not help", async () => {
  await using server = await serverWith(account("a"), node, pod("p", "a"), [
    `${core}/secrets`,
    { metadata: { name: "s" } },
  ]);
  for (const [kind, name, path] of [
    ["Node", "n", "/api/v1/nodes"],
    ["Pod", "p", `${core}/pods`],
    ["Secret", "s", `${core}/secrets`],
  ] as const) {
    const { token } = (await request(server, bound(kind, name))).status;
    expect(await review(server, token)).toMatchObject({ authenticated: true });
    const made = await ask(server, "GET", `${path}/${name}`);
    await ask(server, "DELETE", `${path}/${name}?gracePeriodSeconds=0`);
    expect(await review(server, token)).toMatchObject({
      error: "[invalid bearer token, service account token has been invalidated]",
    });
    const { spec } = made;
    await ask(server, "POST", path, { metadata: { name }, ...(spec === undefined ? {} : { spec }) });
    expect((await review(server, token)).error).toMatch(
      new RegExp(`${kind.toLowerCase()} UID .* does not match service account ${kind.toLowerCase()} ref claim`),
    );
  }
});

test("a token of one account is not bound to the pod of another", async () => {
  await using server = await serverWith(account("a"), account("b"), pod("p", "b"));
  const { code, message } = await request(server, bound("Pod", "p"));
  expect([code, message]).toEqual([
    400,
    'cannot bind token for serviceaccount "a" to pod running with different serviceaccount name.',
  ]);
});

test("what is being deleted keeps its tokens for a minute", async () => {
  await using server = await serverWith(account("a"), pod("p", "a", { finalizers: ["example.com/hold"] }));
  const { token } = (await request(server, bound("Pod", "p"))).status;
  await ask(server, "DELETE", `${core}/pods/p?gracePeriodSeconds=0`);
  expect(await review(server, token)).toMatchObject({ authenticated: true });
  await server.clock.advance(61_000);
  expect(await review(server, token)).not.toHaveProperty("authenticated");
});

test("a token has an end, counted with a minute for clocks that differ", async () => {
  await using server = await serverWith(account("a"));
  const { token } = (await request(server, { expirationSeconds: 600 })).status;
  await server.clock.advance(659_000);
  expect(await review(server, token)).toMatchObject({ authenticated: true });
  await server.clock.advance(2000);
  expect((await review(server, token)).error).toBe("[invalid bearer token, service account token has expired]");
});

test("a token is for its audiences, and for whoever has not changed a letter of it", async () => {
  await using server = await serverWith(account("a"));
  const { token } = (await request(server, { audiences: ["x", "y"] })).status;
  expect((await review(server, token, ["y", "z"])).audiences).toEqual(["y"]);
  expect((await review(server, token)).error).toMatch(
    /^\[invalid bearer token, token audiences \["x" "y"\] is invalid/,
  );
  expect((await review(server, `${token.slice(0, -8)}AAAAAAAA`, ["x"])).error).toMatch(/cryptographic primitive/);
  const asked = { method: "GET", path: "/api/v1/pods", headers: { authorization: `Bearer ${token}` } };
  expect((await server.handle(asked, new AbortController().signal)).status).toBe(401);
});

test("known tokens give their users, and nothing else does", () => {
  const user = { username: "joe", groups: [] };
  const look = knownTokens([["secret", user]]);
  expect(["secret", "secre", "secret ", ""].map(look)).toEqual([user, undefined, undefined, undefined]);
});
