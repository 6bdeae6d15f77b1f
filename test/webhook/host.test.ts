import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { ConfigMap, ValidatingWebhookConfiguration } from "../../src/api/index.js";
import { type Running, silentLogger } from "../../src/base/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { startCluster, type TestCluster } from "../../src/testing/cluster.js";
import { type CertificateSource, WebhookHost } from "../../src/webhook/index.js";
import { eventually } from "../eventually.js";

async function virtualCluster() {
  const cluster = await startCluster({ clock: "virtual" });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  return cluster;
}

async function started({ client, clock }: Pick<TestCluster, "client" | "clock">, certificates: CertificateSource) {
  const host = new WebhookHost({ client, server: { name: "hooks", port: 0, certificates }, clock, log: silentLogger });
  host.add({ for: ConfigMap, validate: ({ object }) => (object.data?.["bad"] === undefined ? [] : "bad") });
  const run = host.start();
  onTestFinished(() => run.close());
  await eventually("it is served", () => host.port !== undefined && host.problem() === undefined);
  return host;
}

async function servedBy({ port }: WebhookHost, host = "127.0.0.1"): Promise<string> {
  const socket: TLSSocket = connect({ port: port as number, host, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  await once(socket, "close");
  return fingerprint256;
}

const caOf = async ({ client }: Pick<TestCluster, "client">): Promise<string> => {
  const { webhooks } = await client.resource(ValidatingWebhookConfiguration).get("hooks");
  return Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? "", "base64").toString();
};

test("certificates that others put into a folder are taken, and taken again when they change", async () => {
  const cluster = await virtualCluster();
  const directory = await mkdtemp(join(tmpdir(), "coxswain-certificates-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const put = async (): Promise<string> => {
    const authority = createAuthority({ commonName: "others", now: cluster.clock.now() });
    const { key, certificate } = authority.issue({ commonName: "hooks", use: "server", hosts: ["127.0.0.1"] });
    for (const [name, text] of Object.entries({
      "tls.crt": certificate,
      "tls.key": key,
      "ca.crt": authority.certificate,
    }))
      await writeFile(join(directory, name), text);
    return authority.certificate;
  };
  const first = await put();
  const host = await started(cluster, { directory });
  const before = await servedBy(host);
  expect(await caOf(cluster)).toBe(first);
  const second = await put();
  await cluster.clock.advance(60_000);
  await eventually("the new one is served", async () => (await servedBy(host)) !== before);
  await eventually("the new authority is published", async () => (await caOf(cluster)) === second);
});

test("a folder without certificates is named", async () => {
  const { client, clock } = await virtualCluster();
  const server = { name: "hooks", port: 0, certificates: { directory: "/nowhere" } };
  const host = new WebhookHost({ client, server, clock, log: silentLogger });
  host.add({ for: ConfigMap, warn: () => "x" });
  const run = host.start();
  onTestFinished(() => run.close());
  const problem = "the webhooks are not in order: the webhooks need tls.crt and tls.key in /nowhere";
  await eventually("the problem is told", () => host.problem()?.startsWith(problem) === true);
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

test.skipIf(!hasIpv6)("behind a Service it listens on all addresses, also those of IPv6 (needs ::1)", async () => {
  const { client, clock } = await virtualCluster();
  const place = { name: "hooks", namespace: "default" };
  const server = { name: "hooks", port: 0, service: place, certificates: { secret: place } };
  const host = new WebhookHost({ client, server, clock, log: silentLogger });
  host.add({ for: ConfigMap, warn: () => "x" });
  const run = host.start();
  onTestFinished(() => run.close());
  await eventually("it is served", () => host.port !== undefined);
  expect(await servedBy(host, "::1")).toBe(await servedBy(host, "127.0.0.1"));
});

test("an installer may change the webhooks that it has written, and the authority stays", async () => {
  const { client, clock } = await virtualCluster();
  const place = { name: "hooks", namespace: "default" };
  const server = { name: "hooks", port: 0, service: place, certificates: { secret: place } };
  const host = new WebhookHost({ client, server, clock, log: silentLogger });
  host.add({ for: ConfigMap, warn: () => "x" });
  const configurations = client.resource(ValidatingWebhookConfiguration);
  const [made] = (host.served()?.configurations ?? []) as ValidatingWebhookConfiguration[];
  const chart = (timeoutSeconds: number): ValidatingWebhookConfiguration => ({
    ...(made as ValidatingWebhookConfiguration),
    webhooks: (made?.webhooks ?? []).map((one) => ({ ...one, timeoutSeconds })),
  });
  await configurations.apply(chart(10), { fieldManager: "helm" });
  const run = host.start();
  onTestFinished(() => run.close());
  await eventually("it is published", () => host.port !== undefined && host.problem() === undefined);
  await configurations.apply(chart(7), { fieldManager: "helm" });
  await clock.advance(3_700_000);
  const { webhooks } = await configurations.get("hooks");
  expect(webhooks?.map((one) => [one.timeoutSeconds, (one.clientConfig.caBundle ?? "").length > 0])).toEqual([
    [7, true],
  ]);
});

test("a server on another machine is not told of webhooks that only this machine reaches", async () => {
  const { client, clock } = await virtualCluster();
  const certificates = { secret: { name: "hooks", namespace: "default" } };
  const far = { resource: client.resource.bind(client), host: "203.0.113.7:6443" } as const;
  const at = (options: { readonly host?: string }): { readonly host: WebhookHost; readonly run: Running } => {
    const server = { name: "hooks", port: 0, certificates, ...options };
    const host = new WebhookHost({ client: far, server, clock, log: silentLogger });
    host.add({ for: ConfigMap, warn: () => "x" });
    return { host, run: host.start() };
  };
  const refused = "the API server at 203.0.113.7:6443 cannot reach webhooks on the loopback";
  await expect(at({}).run.done).rejects.toThrow(refused);
  await expect(client.resource(ValidatingWebhookConfiguration).get("hooks")).rejects.toThrow("not found");
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const address = own.find(({ internal, family }) => !internal && family === "IPv4")?.address;
  if (address === undefined) return;
  const { host, run } = at({ host: address });
  onTestFinished(() => run.close());
  await eventually("it is served", () => host.port !== undefined && host.problem() === undefined);
  const { webhooks } = await client.resource(ValidatingWebhookConfiguration).get("hooks");
  expect(webhooks?.[0]?.clientConfig.url).toMatch(`https://${address}:`);
});

test("certificates of its own are renewed while it serves, under an authority that is known", async () => {
  const cluster = await virtualCluster();
  const host = await started(cluster, { secret: { name: "hooks", namespace: "default" } });
  const [certificate, authority] = [await servedBy(host), await caOf(cluster)];
  await cluster.clock.advance(61 * 24 * 3_600_000);
  await eventually("another one is served", async () => (await servedBy(host)) !== certificate);
  expect(await caOf(cluster)).toBe(authority);
});

function send(
  { port }: WebhookHost,
  path: string,
  body: string,
  method = "POST",
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: "127.0.0.1", path, method, rejectUnauthorized: false, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A request whose body lacks its last byte. */
function unfinished({ port }: WebhookHost, path: string, bytes: number) {
  const options = { port, host: "127.0.0.1", path, method: "POST", rejectUnauthorized: false, agent: false };
  const sent = request({ ...options, headers: { "content-length": bytes + 1 } });
  const answer = new Promise<{ status: number; text: string }>((resolve) => {
    sent.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
  sent.on("error", () => {});
  sent.write(Buffer.alloc(bytes, " "));
  return { sent, answer };
}

test("what is no review is refused with a reason, and harms nobody", async () => {
  const cluster = await virtualCluster();
  const host = await started(cluster, { secret: { name: "hooks", namespace: "default" } });
  const path = "/validate/core/v1/configmaps";
  expect(await send(host, path, "", "GET")).toEqual({ status: 405, text: "a review comes by POST\n" });
  expect(await send(host, "/elsewhere", review())).toEqual({
    status: 404,
    text: "there is no webhook at /elsewhere\n",
  });
  // a path that begins with two slashes names a host in a URL, and here none
  expect(await send(host, "//", review())).toEqual({ status: 404, text: "there is no webhook at //\n" });
  expect(await send(host, "//[/?timeout=%", review())).toMatchObject({ status: 404 });
  expect(await send(host, path, "{")).toMatchObject({ status: 400, text: expect.stringContaining("no JSON") });
  expect(await send(host, path, "[]")).toEqual({ status: 400, text: "the body is no review\n" });
  expect(await send(host, path, '{"request":{}}')).toEqual({ status: 400, text: "the body is no review\n" });
  expect(await send(host, path, "[".repeat(100_000))).toMatchObject({
    status: 400,
    text: expect.stringContaining("nested"),
  });
  const refused = await send(host, path, review({ object: null }));
  expect(JSON.parse(refused.text).response).toMatchObject({
    allowed: false,
    status: { message: "validate of ConfigMap failed: the review of ConfigMap has no object" },
  });
  const { text } = await send(host, path, review({ object: { metadata: { name: "a" }, data: {} } }));
  expect(JSON.parse(text)).toMatchObject({ kind: "AdmissionReview", response: { uid: "u", allowed: true } });
});

test("bodies of strangers are bounded together, and what others send then is answered", async () => {
  const cluster = await virtualCluster();
  const host = await started(cluster, { secret: { name: "hooks", namespace: "default" } });
  const path = "/validate/core/v1/configmaps";
  const strangers = Array.from({ length: 9 }, () => unfinished(host, path, 8 * 1024 * 1024 - 1));
  try {
    const answers = await Promise.race(strangers.map(({ answer }) => answer));
    expect(answers).toEqual({ status: 503, text: "too many reviews arrive at once\n" });
  } finally {
    for (const { sent } of strangers) sent.destroy();
  }
  const ask = async (): Promise<number> => (await send(host, path, review())).status;
  await expect.poll(ask).toBe(200);
});

const review = (more: object = {}): string =>
  JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: { uid: "u", operation: "CREATE", userInfo: {}, ...more },
  });
