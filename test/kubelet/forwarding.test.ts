/** The server in front of a kubelet that is not ours, over real TLS. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { type AddressInfo, connect as dial } from "node:net";
import type { Duplex, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { load } from "js-yaml";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { Lifetime } from "../../src/base/index.js";
import { SpdySession, type SpdyStream } from "../../src/base/spdy/session.js";
import { type Client, connect, parseKubeconfig } from "../../src/client/index.js";
import { measure } from "../aggregation/extension-server.js";
import { ask } from "../ask.js";
import { type FakeAnswers, type FakeKubelet, spdyAccepted, startFakeKubelet } from "./fake-kubelet.js";

interface Place extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly kubelet: FakeKubelet;
}

async function start(answers: FakeAnswers): Promise<Place> {
  const lifetime = new Lifetime();
  const kubelet = lifetime.use(await startFakeKubelet(answers));
  const kubelets = { onLoopback: true, authority: kubelet.authority };
  const server = lifetime.use(await startApiServer({ disabledAdmission: ["ServiceAccount"], kubelets }));
  const { kubeconfig } = await server.listen();
  const client = lifetime.use(await connect({ kubeconfig: parseKubeconfig(load(kubeconfig), "kubeconfig") }));
  const addresses = [{ type: "Hostname", address: "127.0.0.1" }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } } };
  await ask(server, "POST", "/api/v1/nodes", { metadata: { name: "n" }, status });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await ask(server, "POST", "/api/v1/namespaces/default/pods", { metadata: { name: "web" }, spec });
  return { server, client, kubelet, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

const pods = ({ client }: Place) => client.pods("default");

async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** Accepts SPDY and gives the streams of a process by their type, once there are as many as `count`. */
function process(socket: Duplex, count: number): Promise<ReadonlyMap<string, SpdyStream>> {
  socket.write(spdyAccepted("v4.channel.k8s.io"));
  return new Promise((resolve) => {
    const streams = new Map<string, SpdyStream>();
    new SpdySession(socket, {
      side: "server",
      onStream: (stream) => {
        streams.set(stream.headers.get("streamtype") ?? "", stream);
        if (streams.size === count) resolve(streams);
      },
    });
  });
}

describe("logs", () => {
  test("come from the kubelet, with the options that it knows, under the server's certificate", async () => {
    await using place = await start({ answer: (_request, response) => response.end("one\ntwo\n") });
    const log = pods(place).logs("web", { tailLines: 2, follow: true, timestamps: false });
    expect(await linesOf(log.lines())).toEqual(["one", "two"]);
    const path = "/containerLogs/default/web/c?follow=true&tailLines=2";
    expect(place.kubelet.requests).toEqual([`GET ${path} as kube-apiserver-kubelet-client`]);
  });

  test.each([
    [400, 400, "it waits"],
    [500, 500, "Internal error occurred: it waits"],
    [404, 404, "the server could not find the requested resource ( pods/log web)"],
    [302, 500, "redirects forbidden"],
  ])("a kubelet's %i is a %i", async (code, shown, message) => {
    await using place = await start({
      answer: (_request, response) => response.writeHead(code, { location: "/elsewhere" }).end("it waits"),
    });
    const answer = await ask(place.server, "GET", "/api/v1/namespaces/default/pods/web/log");
    expect(answer).toMatchObject({ code: shown });
    expect(answer.message).toBe(message.replace("( ", "("));
  });

  test("a kubelet that is not there is named in Go's words", async () => {
    await using place = await start({});
    const { port } = place.kubelet;
    await place.kubelet[Symbol.asyncDispose]();
    const answer = await ask(place.server, "GET", "/api/v1/namespaces/default/pods/web/log");
    const where = `https://127.0.0.1:${port}/containerLogs/default/web/c`;
    const why = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(answer).toMatchObject({ code: 500, message: `Get "${where}": ${why}` });
  });
});

describe("a process, whose WebSocket is translated to SPDY", () => {
  test("has all streams, whose ends and sizes arrive one by one", async () => {
    const heard: string[] = [];
    await using place = await start({
      async upgrade(socket) {
        const { stdin, stdout, resize, error } = Object.fromEntries(await process(socket, 4));
        resize?.on("data", (size: Buffer) => heard.push(String(size)));
        for await (const chunk of (stdin as SpdyStream).iterator({ destroyOnReturn: false })) stdout?.write(chunk);
        const details = { causes: [{ reason: "ExitCode", message: "3" }] };
        stdout?.end("bye");
        error?.end(JSON.stringify({ status: "Failure", reason: "NonZeroExitCode", details }));
      },
    });
    await using running = await pods(place).exec("web", { command: ["sh", "-c", "a b"], stdin: true, tty: true });
    await running.resize({ columns: 80, rows: 24 });
    await running.write("x".repeat(200_000));
    await running.endInput();
    const chunks: Uint8Array[] = [];
    for await (const chunk of running.stdout) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(`${"x".repeat(200_000)}bye`);
    expect(await running.exit).toBe(3);
    expect(heard).toEqual(['{"Width":80,"Height":24}']);
    const query = "command=sh&command=-c&command=a+b&input=1&output=1&tty=1";
    expect(place.kubelet.requests).toEqual([`POST /exec/default/web/c?${query} as kube-apiserver-kubelet-client`]);
  });

  test("has output and errors apart", async () => {
    await using place = await start({
      async upgrade(socket) {
        const { stdout, stderr, error } = Object.fromEntries(await process(socket, 3));
        stdout?.end("out");
        stderr?.end("err");
        error?.end('{"status":"Success"}');
      },
    });
    expect(await pods(place).run("web", { command: ["x"] })).toEqual({ exitCode: 0, stdout: "out", stderr: "err" });
  });

  test.each([
    ["does not switch", (socket: Duplex) => socket.end("HTTP/1.1 500 No\r\ncontent-length: 4\r\n\r\nno!!"), /no!!/],
    ["cuts the connection", (socket: Duplex) => socket.destroy(), /EOF|socket hang up/],
    [
      "sends no SPDY",
      (socket: Duplex) => socket.end(`${spdyAccepted("v4.channel.k8s.io")}${"?".repeat(64)}`),
      /closed/,
    ],
    [
      "sends a frame of another version",
      (socket: Duplex) => socket.end(spdyAccepted("v4.channel.k8s.io") + "\x80\x02\x00\x01\x00\x00\x00\x00", "latin1"),
      /SPDY/,
    ],
  ])("is refused if the kubelet %s", async (_what, upgrade, message) => {
    await using place = await start({ upgrade });
    await using running = await pods(place).exec("web", { command: ["x"] });
    await expect(running.exit).rejects.toThrow(message);
  });

  test("whose report has no end is cut", async () => {
    await using place = await start({
      async upgrade(socket) {
        const { error } = Object.fromEntries(await process(socket, 3));
        const more = (): void => void error?.write("x".repeat(16_384), () => setImmediate(more));
        more();
      },
    });
    await using running = await pods(place).exec("web", { command: ["x"] });
    await expect(running.exit).rejects.toThrow("the message is too long");
  });

  test("ends with the server, although the kubelet goes on", async () => {
    const place = await start({ upgrade: (socket) => void process(socket, 3) });
    const running = await pods(place).exec("web", { command: ["x"] });
    const exit = running.exit.catch((error: unknown) => error);
    await place.server.close();
    expect(await exit).toBeInstanceOf(Error);
    await running.close();
    await place[Symbol.asyncDispose]();
  });
});

test("a request for another protocol than the translated ones is passed on as it is", async () => {
  await using place = await start({
    async upgrade(socket) {
      socket.write(spdyAccepted("portforward.k8s.io"));
      const [bytes] = (await once(socket, "data")) as [Buffer];
      socket.end(`heard ${bytes}`);
    },
  });
  const { request } = await import("node:https");
  const { url, authority: ca = "" } = await place.server.listen();
  const headers = { authorization: `Bearer ${place.server.token}`, connection: "Upgrade", upgrade: "SPDY/3.1" };
  const path = `${url}/api/v1/namespaces/default/pods/web/portforward`;
  const sent = request(path, { method: "POST", ca, agent: false, headers }).end();
  const [response, socket] = (await once(sent, "upgrade")) as [{ headers: Record<string, string> }, Duplex];
  expect(response.headers["x-stream-protocol-version"]).toBe("portforward.k8s.io");
  socket.write("frames");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(String(answer)).toBe("heard frames");
  socket.destroy();
  expect(place.kubelet.requests[0]).toContain("POST /portForward/default/web as");
});

test("exec without a switch of protocols is refused", async () => {
  await using place = await start({});
  const answer = await ask(place.server, "POST", "/api/v1/namespaces/default/pods/web/exec?command=x");
  expect(answer).toMatchObject({ code: 400, message: "Upgrade request required" });
});

interface Proxying extends AsyncDisposable {
  readonly url: string;
  readonly authority: string;
  readonly token: string;
}

/** A server whose pods' network leads to a server of the test's own, behind a pod and a service. */
async function startProxying(): Promise<Proxying> {
  const lifetime = new Lifetime();
  const behind = createServer(measure);
  behind.listen(0, "127.0.0.1");
  await once(behind, "listening");
  lifetime.defer(async () => {
    behind.close();
    behind.closeAllConnections();
    await once(behind, "close");
  });
  const podNetwork = (host: string): Duplex | undefined =>
    host === "10.0.0.9" ? dial((behind.address() as AddressInfo).port, "127.0.0.1") : undefined;
  const server = lifetime.use(await startApiServer({ disabledAdmission: ["ServiceAccount"], podNetwork }));
  const { url, authority = "" } = await server.listen();
  const namespace = "/api/v1/namespaces/default";
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  const status = { phase: "Running", podIP: "10.0.0.9", podIPs: [{ ip: "10.0.0.9" }] };
  await ask(server, "POST", `${namespace}/pods`, { metadata: { name: "web" }, spec });
  await ask(server, "PATCH", `${namespace}/pods/web/status`, { status });
  await ask(server, "POST", `${namespace}/services`, { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
  const targetRef = { kind: "Pod", namespace: "default", name: "web" };
  const subsets = [{ addresses: [{ ip: "10.0.0.9", targetRef }], ports: [{ port: 8080 }] }];
  await ask(server, "POST", `${namespace}/endpoints`, { metadata: { name: "web" }, subsets });
  return { url, authority, token: server.token, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

/** The body that the client writes, and the answer in pieces. */
interface Exchange {
  readonly sent: Writable;
  readonly answer: AsyncIterator<Buffer>;
}

const clients: Readonly<Record<string, (place: Proxying, path: string, lifetime: Lifetime) => Exchange>> = {
  "HTTP/1.1": ({ url, authority, token }, path) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(`${url}${path}`, { method: "POST", headers, ca: authority, agent: false });
    async function* answer(): AsyncGenerator<Buffer> {
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      yield* response;
    }
    return { sent, answer: answer() };
  },
  "HTTP/2": ({ url, authority, token }, path, lifetime) => {
    const session = connectHttp2(url, { ca: authority });
    lifetime.defer(() => session.destroy());
    const sent = session.request({ ":method": "POST", ":path": path, authorization: `Bearer ${token}` });
    return { sent, answer: sent[Symbol.asyncIterator]() as AsyncIterator<Buffer> };
  },
};

describe.each(Object.keys(clients))("a body over %s", (protocol) => {
  test.each(["pods/web:8080", "services/web:80"])("goes through the proxy of %s as it comes", async (place) => {
    await using lifetime = new Lifetime();
    const proxying = lifetime.use(await startProxying());
    const open = clients[protocol] as (typeof clients)[string];
    const { sent, answer } = open(proxying, `/api/v1/namespaces/default/${place}/proxy/x`, lifetime);
    const next = async (): Promise<string> => String((await answer.next()).value);
    sent.write("12345");
    expect(await next()).toBe("5\n");
    sent.write("678");
    expect(await next()).toBe("8\n");
    sent.end();
    expect(await next()).toBe("8 in all\n");
    expect((await answer.next()).done).toBe(true);
  });
});

describe("the proxy of a node", () => {
  test("passes on method, path and query, but no credentials", async () => {
    await using place = await start({
      answer: (request, response) => response.end(JSON.stringify({ ...request.headers, url: request.url })),
    });
    const path = "/api/v1/nodes/n/proxy/stats/summary?only=cpu";
    const { body } = await place.server.transport()({ method: "GET", path, headers: {} }, new AbortController().signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const answer: unknown = JSON.parse(Buffer.concat(chunks).toString());
    expect(answer).toMatchObject({ url: "/stats/summary?only=cpu" });
    expect(answer).not.toHaveProperty("authorization");
  });

  test("does not lead to the loopback address, unless that is permitted, and then to the kubelet alone", async () => {
    await using place = await start({ answer: (_request, response) => response.end("{}") });
    expect(await ask(place.server, "GET", "/api/v1/nodes/http:n:1/proxy/x")).toMatchObject({
      code: 400,
      message: "address not allowed",
    });
  });
});
