/** Bootstrap tokens beside a real kube-apiserver: the user of each, or none. */
import { expect, test } from "vitest";
import { startTestServer } from "../../src/testing/cluster.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { patienceMs } from "../eventually.js";
import { askReal } from "../real-answer.js";

type Ask = (path: string, body: object) => Promise<Readonly<Record<string, never>>>;

const secret = "0123456789abcdef";

/** By token id: the data beside a right id and secret, the token that is shown, and further fields of the Secret. */
const cases: Readonly<Record<string, { readonly data?: object; readonly shown?: string; readonly object?: object }>> = {
  plain0: {},
  groups: { data: { "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a:x" } },
  group1: { data: { "auth-extra-groups": "system:masters" } },
  group2: { data: { "auth-extra-groups": "system:bootstrappers:a, system:bootstrappers:b" } },
  group3: { data: { "auth-extra-groups": "system:bootstrappers:" } },
  future: { data: { expiration: "2100-01-01T00:00:00Z" } },
  zoned0: { data: { expiration: "2100-01-01T00:00:00+02:00" } },
  past00: { data: { expiration: "2020-01-01T00:00:00Z" } },
  wrong0: { data: { expiration: "tomorrow" } },
  short0: { data: { expiration: "2100-01-01" } },
  unused: { data: { "usage-bootstrap-authentication": "false" } },
  usage1: { data: { "usage-bootstrap-authentication": "True" } },
  otherid: { shown: `othrid.${secret}` },
  badid0: { data: { "token-id": "zzzzzz" } },
  badsec: { shown: "badsec.0123456789abcdee" },
  upper0: { shown: "UPPER0.0123456789ABCDEF" },
  long00: { shown: `long00.${secret}0` },
  type00: { object: { type: "Opaque" } },
  nodata: { object: { stringData: {} } },
};

async function story(ask: Ask): Promise<unknown> {
  const answers: unknown[] = [];
  for (const [id, { data = {}, shown = `${id}.${secret}`, object = {} }] of Object.entries(cases)) {
    const stringData = { "token-id": id, "token-secret": secret, "usage-bootstrap-authentication": "true", ...data };
    const metadata = { name: `bootstrap-token-${id}` };
    const type = "bootstrap.kubernetes.io/token";
    await ask("/api/v1/namespaces/kube-system/secrets", { metadata, type, stringData, ...object });
    const review = await ask("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: shown } });
    const { authenticated, user } = (review["status"] ?? {}) as Readonly<Record<string, unknown>>;
    answers.push([id, authenticated ?? false, user ?? {}]);
  }
  return answers;
}

async function ours(): Promise<unknown> {
  await using server = await startTestServer({ bootstrapTokens: true });
  const { signal } = new AbortController();
  return await story(async (path, body) => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", path, headers, body: Buffer.from(JSON.stringify(body)) };
    const { body: answer } = await server.transport()(request, signal);
    return JSON.parse(Buffer.from(answer as Uint8Array).toString()) as never;
  });
}

test("a bootstrap token is that of a machine if its Secret says so, and of nobody otherwise", async () => {
  const answers = (await ours()) as readonly (readonly [string, boolean, { readonly groups?: readonly string[] }])[];
  const accepted = answers.filter(([, isAccepted]) => isAccepted).map(([id, , { groups }]) => [id, groups]);
  expect(accepted).toEqual([
    ["plain0", ["system:bootstrappers", "system:authenticated"]],
    ["groups", ["system:bootstrappers", "system:bootstrappers:a:x", "system:bootstrappers:b", "system:authenticated"]],
    ["future", ["system:bootstrappers", "system:authenticated"]],
    ["zoned0", ["system:bootstrappers", "system:authenticated"]],
  ]);
});

test("a server that is not asked to accepts no bootstrap token", async () => {
  await using server = await startTestServer();
  const { signal } = new AbortController();
  const headers = { authorization: `Bearer plain0.${secret}` };
  const { status } = await server.handle({ method: "GET", path: "/api/v1/pods", headers }, signal);
  expect(status).toBe(401);
});

const assets = envtestAssets();

test.skipIf(assets === undefined)(
  "a real server gives each token the same user (skipped without KUBEBUILDER_ASSETS)",
  async () => {
    await using real = await startEnvtest({ assets: assets ?? "", flags: ["--enable-bootstrap-token-auth=true"] });
    const answers = await story(async (path, body) => {
      const headers = { "content-type": "application/json" };
      const { bytes } = await askReal({ method: "POST", path, headers, body: JSON.stringify(body) }, real);
      return JSON.parse(bytes.toString()) as never;
    });
    expect(await ours()).toEqual(answers);
  },
  patienceMs * 4,
);
