/** Certificates, proxies and impersonation beside a real kube-apiserver: the same users, the same refusals, the same audit. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Lifetime, systemClock } from "../../../src/base/index.js";
import { createAuthority } from "../../../src/base/x509/certificate.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { eventually, patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";
import { type BothServers, type Json, type SentRequest, startBoth } from "./both-servers.js";

const whoAmI = (more: Partial<SentRequest>): SentRequest => ({
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" },
  ...more,
});

const as = (
  username: string,
  more: Readonly<Record<string, string | readonly string[]>> = {},
): Readonly<Record<string, string | readonly string[]>> => ({
  "impersonate-user": username,
  ...more,
});

const group = "rbac.authorization.k8s.io";

/** Roles with permissions of impersonation, each for the user of its name. */
const roles: Readonly<Record<string, readonly object[]>> = {
  old: [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users", "groups", "serviceaccounts"] }],
  named: [
    {
      verbs: ["impersonate:user-info"],
      apiGroups: ["authentication.k8s.io"],
      resources: ["users"],
      resourceNames: ["jane"],
    },
    {
      verbs: ["impersonate:user-info"],
      apiGroups: ["authentication.k8s.io"],
      resources: ["groups", "uids", "userextras/example.com/a"],
    },
    { verbs: ["impersonate-on:user-info:list", "impersonate-on:user-info:create"], apiGroups: ["*"], resources: ["*"] },
  ],
  account: [
    { verbs: ["impersonate:serviceaccount"], apiGroups: ["authentication.k8s.io"], resources: ["serviceaccounts"] },
    { verbs: ["impersonate-on:serviceaccount:create"], apiGroups: ["*"], resources: ["*"] },
  ],
  nodes: [
    { verbs: ["impersonate:arbitrary-node"], apiGroups: ["authentication.k8s.io"], resources: ["nodes"] },
    { verbs: ["impersonate-on:arbitrary-node:create"], apiGroups: ["*"], resources: ["*"] },
  ],
  half: [{ verbs: ["impersonate:user-info"], apiGroups: ["authentication.k8s.io"], resources: ["users"] }],
};

const maps = "/api/v1/namespaces/default/configmaps";
const extraKey = "impersonate-extra-example.com%2fa";

const impersonations: Readonly<Record<string, SentRequest>> = {
  "by an administrator": whoAmI({ headers: as("jane") }),
  "of groups by an administrator": whoAmI({ headers: as("jane", { "impersonate-group": ["a", "b,c"] }) }),
  "of administrators": whoAmI({ headers: as("jane", { "impersonate-group": "system:masters" }) }),
  "of everything": whoAmI({ headers: as("jane", { "impersonate-uid": "7", [extraKey]: ["x", "y"] }) }),
  "of a bad extra key": whoAmI({ headers: as("jane", { "impersonate-extra-a": "x" }) }),
  "of an account": whoAmI({ headers: as("system:serviceaccount:default:robot") }),
  "of a bad account": whoAmI({ headers: as("system:serviceaccount:default:Not_Good") }),
  "of a node": whoAmI({ headers: as("system:node:n1") }),
  "of a node with groups": whoAmI({ headers: as("system:node:n1", { "impersonate-group": "x" }) }),
  "of nobody": whoAmI({ headers: as("system:anonymous") }),
  "without a user": whoAmI({ headers: { "impersonate-group": ["a", 'b"'], "impersonate-uid": "7" } }),
  "of an extra alone": whoAmI({ headers: { [extraKey]: "x" } }),
  "with an old permission": whoAmI({ token: "old", headers: as("jane") }),
  "of a group with an old permission": whoAmI({ token: "old", headers: as("jane", { "impersonate-group": "x" }) }),
  "of a uid without permission": whoAmI({ token: "old", headers: as("jane", { "impersonate-uid": "7" }) }),
  "of an account with an old permission": whoAmI({ token: "old", headers: as("system:serviceaccount:default:robot") }),
  "without permission": whoAmI({ token: "nothing", headers: as("jane") }),
  "of an account without permission": whoAmI({ token: "nothing", headers: as("system:serviceaccount:default:robot") }),
  "of a node without permission": whoAmI({ token: "nothing", headers: as("system:node:n1") }),
  "of a path without permission": { path: "/metrics", token: "nothing", headers: as("jane") },
  "of one user": whoAmI({ token: "named", headers: as("jane") }),
  "of another user": whoAmI({ token: "named", headers: as("joe") }),
  "of one user, with groups": whoAmI({
    token: "named",
    headers: as("jane", { "impersonate-group": ["a", "b", "c", "d", "e"] }),
  }),
  "of one user, with extras": whoAmI({ token: "named", headers: as("jane", { [extraKey]: ["1", "2", "3", "4"] }) }),
  "of one user, with another extra": whoAmI({
    token: "named",
    headers: as("jane", { "impersonate-extra-example.com%2fb": "1" }),
  }),
  "of one user, as an administrator": whoAmI({
    token: "named",
    headers: as("jane", { "impersonate-group": "system:masters" }),
  }),
  "of one user, in an empty group": whoAmI({ token: "named", headers: as("jane", { "impersonate-group": "" }) }),
  "for a request that is permitted": { path: maps, token: "named", headers: as("jane") },
  "for a request that is not permitted": { method: "DELETE", path: `${maps}/x`, token: "named", headers: as("jane") },
  "for all requests, which is half of it": whoAmI({ token: "half", headers: as("jane") }),
  "of an account, constrained": whoAmI({ token: "account", headers: as("system:serviceaccount:default:robot") }),
  "of a user with a permission for accounts": whoAmI({ token: "account", headers: as("jane") }),
  "of any node": whoAmI({ token: "nodes", headers: as("system:node:n1") }),
};

interface Opening extends Record<"url" | "ca", string> {
  readonly pair: { readonly certificate: string; readonly key: string };
}

/** The status of the answer to a WebSocket of a program whose library names an origin. */
const openedFromElsewhere = ({ url, ca, pair }: Opening): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const path = "/api/v1/namespaces?watch=1&timeoutSeconds=1";
    const settings = { ca, cert: pair.certificate, key: pair.key, origin: "http://localhost" };
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}${path}`, settings);
    socket.on("error", reject);
    socket.on("upgrade", ({ statusCode }) => socket.on("close", () => resolve(statusCode)));
    socket.on("unexpected-response", (_, { statusCode, socket: connection }) => {
      connection.destroy();
      resolve(statusCode);
    });
  });

const plain = ({ status, body }: Awaited<ReturnType<BothServers["sendReal"]>>): Json => {
  const text = JSON.stringify(body, (key, value: Json) => (key === "metadata" ? undefined : value));
  return { status, body: JSON.parse(text) };
};

/** Users who come with certificates of their own. */
const userNames = ["old", "named", "account", "nodes", "half", "nothing"];

test.skipIf(envtestAssets() === undefined)(
  "certificates, proxies and impersonation give the users of a real server",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-identities-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const now = systemClock.now();
    const [clients, proxies] = ["clients", "proxies"].map((commonName) => createAuthority({ commonName, now })) as [
      ReturnType<typeof createAuthority>,
      ReturnType<typeof createAuthority>,
    ];
    const place = (name: string): string => join(folder, name);
    await writeFile(place("clients.crt"), clients.certificate);
    await writeFile(place("proxies.crt"), proxies.certificate);
    await writeFile(place("policy.yaml"), "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n");
    const [realLog, ownLog] = [place("real.log"), place("own.log")];
    const issued = (authority: typeof clients, commonName: string, organizations: readonly string[] = []) =>
      authority.issue({ commonName, organizations, use: "client", now });
    const policy = await readFile(place("policy.yaml"), "utf8");
    const both = lifetime.use(
      await startBoth({
        flags: [
          `--client-ca-file=${place("clients.crt")}`,
          `--requestheader-client-ca-file=${place("proxies.crt")}`,
          "--requestheader-allowed-names=proxy",
          "--requestheader-username-headers=X-Remote-User,X-Other-User",
          "--requestheader-uid-headers=X-Remote-Uid",
          "--requestheader-group-headers=X-Remote-Group",
          "--requestheader-extra-headers-prefix=X-Remote-Extra-",
          `--audit-policy-file=${place("policy.yaml")}`,
          `--audit-log-path=${realLog}`,
        ],
        own: {
          authentication: {
            frontProxy: {
              authority: proxies.certificate,
              allowedNames: ["proxy"],
              usernameHeaders: ["X-Remote-User", "X-Other-User"],
            },
          },
          audit: { policy, log: { path: ownLog } },
        },
        listen: { clientAuthority: clients.certificate },
      }),
    );
    for (const [name, rules] of Object.entries(roles)) {
      const [path, apiGroup] = [`/apis/${group}/v1`, group];
      const subjects = [{ kind: "User", apiGroup, name }];
      for (const send of [both.sendReal, both.sendOwn]) {
        const make = (plural: string, body: object): Promise<unknown> =>
          send({ method: "POST", path: `${path}/${plural}`, body: { metadata: { name }, ...body } });
        await make("clusterroles", { rules });
        await make("clusterrolebindings", { roleRef: { apiGroup, kind: "ClusterRole", name }, subjects });
      }
    }
    const pairs = new Map(userNames.map((name) => [name, issued(clients, name)]));
    /** A token that is a user's name stands for the user's certificate. */
    const certified = ({ token = "", ...request }: SentRequest): SentRequest => {
      const certificate = pairs.get(token);
      return certificate === undefined
        ? { ...request, ...(token === "" ? {} : { token }) }
        : { ...request, certificate };
    };
    await eventually("the real server knows the roles", async () => {
      const { status } = await both.sendReal(certified(whoAmI({ token: "half", headers: as("jane") })));
      const { status: last } = await both.sendReal(
        certified(whoAmI({ token: "nodes", headers: as("system:node:n1") })),
      );
      return status === 403 && last === 201;
    });
    const proxy = issued(proxies, "proxy");
    const named = {
      "x-remote-user": "jane",
      "x-remote-group": ["a", "b,c"],
      "x-remote-uid": "7",
      "x-remote-extra-acme.com%2fx": "y",
    };
    const certificates: Readonly<Record<string, SentRequest>> = {
      "a client": whoAmI({ certificate: issued(clients, "jane", ["devs", "ops"]) }),
      "a client without groups": whoAmI({ certificate: issued(clients, "joe") }),
      "a client who names a user": whoAmI({ certificate: issued(clients, "joe"), headers: named }),
      "a proxy": whoAmI({ certificate: proxy, headers: named }),
      "a proxy with another header": whoAmI({ certificate: proxy, headers: { "x-other-user": "jim" } }),
      "a proxy that names nobody": whoAmI({ certificate: proxy }),
      "a proxy that may not": whoAmI({ certificate: issued(proxies, "other"), headers: named }),
      "a proxy that names nobody, with a token": whoAmI({ certificate: proxy, token: both.real.token }),
      "a stranger": whoAmI({ certificate: issued(createAuthority({ commonName: "strangers", now }), "jane") }),
      "a token that names a user": whoAmI({ headers: named }),
    };
    const ids: string[] = [];
    for (const [name, request] of [...Object.entries(certificates), ...Object.entries(impersonations)]) {
      const id = name.replaceAll(/[ ,]+/g, "-");
      ids.push(id);
      const sent = { ...certified(request), headers: { ...request.headers, "audit-id": id } };
      const [real, own] = [plain(await both.sendReal(sent)), plain(await both.sendOwn(sent))];
      expect({ name, ...own }).toEqual({ name, ...real });
    }
    for (const { url, ca } of [both.real, { url: both.ownUrl, ca: both.ownAuthority }])
      expect(await openedFromElsewhere({ url, ca, pair: issued(clients, "root", ["system:masters"]) })).toBe(101);
    const eventsOf = async (file: string): Promise<Map<string, Json>> => {
      const lines = (await readFile(file, "utf8"))
        .split("\n")
        .filter((line) => line.includes('"stage":"ResponseComplete"'));
      return new Map(
        lines.map((line): [string, Json] => {
          const { auditID, user, impersonatedUser, authenticationMetadata, annotations, responseStatus } = JSON.parse(
            line,
          ) as Json;
          return [auditID, { user, impersonatedUser, authenticationMetadata, annotations, code: responseStatus?.code }];
        }),
      );
    };
    expect(ids.length).toBe(statedCount("certificates, proxies and impersonations"));
    const last = ids.at(-1) as string;
    await eventually(
      "both logs are complete",
      async () => (await eventsOf(realLog)).has(last) && (await eventsOf(ownLog)).has(last),
    );
    const [real, own] = [await eventsOf(realLog), await eventsOf(ownLog)];
    for (const id of ids) expect({ id, event: own.get(id) }).toEqual({ id, event: real.get(id) });
  },
  5 * patienceMs,
);
