import { connect as connectHttp2, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { Agent, request } from "node:https";
import { connect } from "node:tls";
import { once } from "node:events";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.js";
import { startTestServer } from "../../testing/cluster.js";
import type { ServerListener } from "./serve.js";

interface Client {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

function clientOf({ kubeconfig }: ServerListener): Client {
  const { clusters, users } = load(kubeconfig) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
  };
  const decode = (text: string | undefined): string => Buffer.from(text ?? "", "base64").toString();
  return {
    ca: decode(clusters[0]?.cluster["certificate-authority-data"]),
    cert: decode(users[0]?.user["client-certificate-data"]),
    key: decode(users[0]?.user["client-key-data"]),
  };
}

function get(url: string, settings: object): Promise<{ readonly status: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ...settings });
    const sent = request(url, { agent, ...settings }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        agent.destroy();
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("the kubeconfig's certificate makes an administrator, a stranger's connection makes nobody", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const { ca, cert, key } = clientOf(listener);
  const known = await get(`${listener.url}/api/v1/namespaces/default`, { ca, cert, key });
  const unknown = await get(`${listener.url}/api/v1/namespaces/default`, { ca });
  const health = await get(`${listener.url}/healthz`, { ca });
  const token = await get(`${listener.url}/api/v1/namespaces`, {
    ca,
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect([known.status, unknown.status, health.text, token.status]).toEqual([200, 401, "ok", 200]);
});

test("HTTP/2 carries requests and a watch over one connection", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const session = connectHttp2(listener.url, clientOf(listener));
  const watch = session.request({ ":path": "/api/v1/namespaces?watch=1" });
  const [first] = (await once(watch, "data")) as [Buffer];
  const plain = session.request({ ":path": "/version" });
  const [version] = (await once(plain, "data")) as [Buffer];
  watch.close();
  session.close();
  await once(session, "close");
  expect(first.toString()).toContain('{"type":"ADDED","object":{"kind":"Namespace"');
  expect(version.toString()).toContain("v1.36");
});

test("a watch over HTTP/2 ends when its client cancels it, or is gone, though nothing changes", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const leaving = connectHttp2(listener.url, clientOf(listener));
  const staying = connectHttp2(listener.url, clientOf(listener));
  const openWatches = async (): Promise<number> => {
    const metrics = await textOf(staying.request({ ":path": "/metrics" }));
    const lines = metrics.split("\n").filter((line) => line.startsWith("apiserver_longrunning_requests{"));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const opened = async (session: typeof leaving, kind: string): Promise<ReturnType<typeof leaving.request>> => {
    const watch = session.request({ ":path": `/api/v1/${kind}?watch=1` });
    watch.on("error", () => {});
    await once(watch, "response");
    return watch;
  };
  const watch = await opened(staying, "configmaps");
  await opened(leaving, "secrets");
  expect(await openWatches()).toBe(2);
  watch.close(constants.NGHTTP2_CANCEL);
  await eventually("the cancelled watch has ended", async () => (await openWatches()) === 1);
  leaving.destroy();
  await eventually("the other watch has ended", async () => (await openWatches()) === 0);
  staying.close();
});

test("what HTTP/2 answers without a handler, without a body and in two steps", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const session = connectHttp2(listener.url, clientOf(listener));
  const answerTo = async (headers: OutgoingHttpHeaders, body?: string): Promise<readonly unknown[]> => {
    const stream = session.request(headers, { endStream: body === undefined });
    stream.once("continue", () => stream.end(body));
    const [{ ":status": status }] = (await once(stream, "response")) as [IncomingHttpHeaders];
    const text = await textOf(stream);
    stream.close();
    return [status, text.length > 0];
  };
  const space = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "continued" } });
  const post = { ":method": "POST", ":path": "/api/v1/namespaces", "content-type": "application/json" };
  const answers = [
    await answerTo({ ":method": "HEAD", ":path": "/api/v1/namespaces/default" }),
    await answerTo({ ...post, expect: "100-continue" }, space),
    await answerTo({ ...post, expect: "miracles" }),
    await answerTo({ ":method": "CONNECT", ":authority": "elsewhere:1" }, ""),
    await answerTo({ ":path": "/version" }),
  ];
  session.close();
  await once(session, "close");
  expect(answers).toEqual([
    [405, false],
    [201, true],
    [417, false],
    [405, false],
    [200, true],
  ]);
});

test("repeated impersonation headers keep their commas, over both protocols", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const identity = clientOf(listener);
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const headers = { "content-type": "application/json", "impersonate-user": "jane", "impersonate-group": ["a", ",b"] };
  const sent = request(`${listener.url}${path}`, { ...identity, agent: false, method: "POST", headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [AsyncIterable<Buffer>];
  const session = connectHttp2(listener.url, identity);
  const stream = session.request({ ":path": path, ":method": "POST", ...headers });
  stream.end(body);
  const answers = [await textOf(response), await textOf(stream)];
  session.close();
  await once(session, "close");
  for (const answer of answers) {
    const { status } = JSON.parse(answer) as { status: unknown };
    expect(status).toEqual({ userInfo: { username: "jane", groups: ["a", ",b", "system:authenticated"] } });
  }
});

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

test("a body over the limit is refused before it is read", async () => {
  await using server = await startTestServer({ limits: { bodyBytes: 1000 } });
  await using listener = await server.listen();
  const { ca, cert, key } = clientOf(listener);
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": 5_000_000 };
    const sent = request(
      `${listener.url}/api/v1/namespaces`,
      { method: "POST", ca, cert, key, headers, agent: false },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on("error", reject);
    sent.write("{");
  });
  expect(answer).toBe(413);
});

test("bytes that are no HTTP end the connection and nothing else", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const client = clientOf(listener);
  const socket = connect({ host: "127.0.0.1", port: listener.port, ...client, ALPNProtocols: ["http/1.1"] });
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  socket.write("\0\0\0nonsense\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  await once(socket, "close");
  expect((await get(`${listener.url}/readyz`, { ca: client.ca })).status).toBe(200);
});

test("an address that others can reach is refused without TLS", async () => {
  await using server = await startTestServer();
  await expect(server.listen({ address: "0.0.0.0", tls: false })).rejects.toThrow(
    "refusing to listen on 0.0.0.0 without TLS",
  );
});

test("a listener that closes lets answers finish and ends watches cleanly", async () => {
  await using server = await startTestServer();
  const listener = await server.listen();
  const { ca, cert, key } = clientOf(listener);
  const agent = new Agent({ ca, cert, key });
  const ended = new Promise<string>((resolve, reject) => {
    const sent = request(`${listener.url}/api/v1/namespaces?watch=1`, { agent }, (response) => {
      response.once("data", () => void listener[Symbol.asyncDispose]());
      response.on("end", () => resolve("end"));
      response.on("error", (error) => resolve(`error ${error.message}`));
    });
    sent.on("error", reject);
    sent.end();
  });
  expect(await ended).toBe("end");
  agent.destroy();
  await listener[Symbol.asyncDispose]();
});

/** The answer to a request for a WebSocket; a connection that stays HTTP ends after it. */
async function upgraded(listener: ServerListener, headers: Readonly<Record<string, string>>): Promise<string> {
  const socket = connect({
    host: "127.0.0.1",
    port: listener.port,
    ...clientOf(listener),
    ALPNProtocols: ["http/1.1"],
  });
  await once(socket, "secureConnect");
  const all = {
    host: "localhost:1",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /api/v1/namespaces?watch=1&timeoutSeconds=1 HTTP/1.1\r\n${lines.join("")}\r\n`);
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    if (received.startsWith("HTTP/1.1 101")) socket.destroy();
  });
  await once(socket, "close");
  return received.split("\r\n")[0] ?? "";
}

const goodKey = { "sec-websocket-key": Buffer.alloc(16, 7).toString("base64") };

test("a WebSocket whose key is none is refused, and its connection and watch end", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  expect(await upgraded(listener, { "sec-websocket-key": "x" })).toBe("HTTP/1.1 400 Bad Request");
});

test("a page from elsewhere may not open a WebSocket by the certificate of the browser's user", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const from = (origin: string, more: Readonly<Record<string, string>> = browser): Promise<string> =>
    upgraded(listener, { ...goodKey, origin, ...more });
  const browser = {
    pragma: "no-cache",
    "cache-control": "no-cache",
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0",
  };
  const [switched, refused] = ["HTTP/1.1 101 Switching Protocols", "HTTP/1.1 401 Unauthorized"];
  expect(await from("https://attacker.example")).toBe(refused);
  expect(await from("null")).toBe(refused);
  expect(await from("https://localhost:1")).toBe(switched);
  expect(await from("https://attacker.example", { ...browser, authorization: `Bearer ${server.token}` })).toBe(
    switched,
  );
  for (const [name, value] of Object.entries(browser))
    expect(await from("https://attacker.example", { [name]: value })).toBe(refused);
});

test("a program may name any origin beside its certificate", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  for (const more of [{}, { "user-agent": "e2e.test/v1.36.3 (linux/amd64)" }]) {
    const answer = await upgraded(listener, { ...goodKey, origin: "http://localhost", ...more });
    expect(answer).toBe("HTTP/1.1 101 Switching Protocols");
  }
});
