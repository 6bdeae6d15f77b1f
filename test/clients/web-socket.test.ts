import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { describe, expect, test } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { protobufCodec } from "../../src/apiserver/codec/index.js";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { startFakeKubelet } from "../kubelet/fake-kubelet.js";

interface Place extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

async function placeOf(server: ApiServer): Promise<Place> {
  const listener = await server.listen();
  const { url, authority = "" } = listener;
  return { url, token: server.token, ca: authority, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
}

const places = [
  {
    name: "the embedded server",
    absent: false,
    start: async () => {
      const server = await startApiServer();
      return { ...(await placeOf(server)), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  },
  {
    name: "a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
    absent: !hasRealCluster(),
    start: async () => ({ ...(await realCluster()), async [Symbol.asyncDispose]() {} }),
  },
];

interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

interface Heard {
  /** 101, or the status of an answer without an upgrade. */
  readonly status: number | undefined;
  readonly protocol: string;
  readonly messages: readonly Message[];
  readonly code: number | undefined;
  /** Of an answer without an upgrade. */
  readonly text: string;
}

interface Asked {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

function open({ url, token, ca }: Place, path: string, { protocols = [], headers }: Asked = {}): WebSocket {
  const options: ClientOptions = { ca, headers: { authorization: `Bearer ${token}`, ...headers }, origin: url };
  if (headers?.["authorization"] === "") delete options.headers?.["authorization"];
  return new WebSocket(`${url.replace(/^http/, "ws")}${path}`, [...protocols], options);
}

/** Until the server ends it. */
async function hear(place: Place, path: string, asked?: Asked): Promise<Heard> {
  const socket = open(place, path, asked);
  const messages: Message[] = [];
  socket.on("message", (data: Buffer, binary) => messages.push({ data, binary }));
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("unexpected-response", (_, response) => {
      const { socket: socketOfAnswer } = response;
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        socketOfAnswer.destroy();
        resolve({ status: response.statusCode, protocol: "", messages, code: undefined, text });
      });
    });
    socket.on("close", (code) => resolve({ status: 101, protocol: socket.protocol, messages, code, text: "" }));
  });
}

/** A watch of a second; on a busy machine that may be over before the first event is written, and is begun again. */
async function hearEvents(place: Place, asked?: Asked): Promise<Heard> {
  for (;;) {
    const heard = await hear(place, watch, asked);
    if (heard.status !== 101 || heard.messages.length > 0) return heard;
  }
}

async function post({ url, token, ca }: Place, path: string, body: object): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = request(`${url}${path}`, { method: "POST", ca, agent: false, headers }).end(JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  return response.statusCode;
}

const watch = "/api/v1/namespaces?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Ddefault";
const tokenProtocol = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;

for (const { name, absent, start } of places) {
  describe.skipIf(absent)(`WebSockets to ${name}`, () => {
    test("each event of a watch is a text with its line's end, and the time's end closes it in order", async () => {
      await using place = await start();
      const { status, messages, code } = await hearEvents(place);
      const [first] = messages.map(({ data, binary }) => ({ text: data.toString(), binary }));
      expect({ status, code, count: messages.length, binary: first?.binary }).toEqual({
        status: 101,
        code: 1000,
        count: 1,
        binary: false,
      });
      expect(first?.text).toMatch(/^\{"type":"ADDED","object":\{"kind":"Namespace".*\}\n$/);
    });

    test("in protobuf each event is bytes without a length before them", async () => {
      await using place = await start();
      const { messages } = await hearEvents(place, { headers: { accept: protobufCodec.mediaType } });
      expect(messages.map(({ binary }) => binary)).toEqual([true]);
      expect([...(messages[0]?.data.subarray(0, 7) ?? [])]).toEqual([0x0a, 5, ...Buffer.from("ADDED")]);
    });

    test("what happens later comes too", async () => {
      await using place = await start();
      const path = "/api/v1/namespaces/default/configmaps";
      const socket = open(place, `${path}?watch=1&fieldSelector=metadata.name%3Dover-web-socket`);
      await once(socket, "open");
      const heard = once(socket, "message") as Promise<[Buffer]>;
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "over-web-socket" } };
      const [[data]] = await Promise.all([heard, post(place, path, body)]);
      expect(JSON.parse(data.toString())).toMatchObject({ type: "ADDED", object: { metadata: body.metadata } });
      socket.close();
      await once(socket, "close");
    });

    test("a token may come as a protocol, beside another one that is answered", async () => {
      await using place = await start();
      const headers = { authorization: "" };
      const known = tokenProtocol(place.token);
      const good = await hearEvents(place, { headers, protocols: [known, "base64.binary.k8s.io"] });
      expect([good.status, good.protocol, good.messages.length]).toEqual([101, "base64.binary.k8s.io", 1]);
      expect((await hearEvents(place, { headers, protocols: [known] })).status).toBe(401);
      expect((await hearEvents(place, { headers, protocols: [tokenProtocol("wrong"), "a"] })).status).toBe(401);
    });

    test("what is no stream is answered as if nobody had asked for an upgrade", async () => {
      await using place = await start();
      const { status, text } = await hear(place, "/api/v1/namespaces/default");
      expect([status, (JSON.parse(text) as { kind: string }).kind]).toEqual([200, "Namespace"]);
      expect((await hear(place, "/api/v1/namespaces?watch=1&resourceVersion=x")).status).not.toBe(101);
      expect((await hear(place, "/api/v1/namespaces/default/pods/absent/log")).status).toBe(404);
    });
  });
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "talks", namespace: "default" },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
};

test("a log comes in bytes, or in base64 for those who ask, after an empty message", async () => {
  await using kubelet = await startFakeKubelet({ answer: (_request, response) => response.end("it talks\n") });
  await using server = await startApiServer({ disabledAdmission: ["ServiceAccount"] });
  await using place = await placeOf(server);
  const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } };
  const status = { addresses: [{ type: "Hostname", address: "127.0.0.1" }], daemonEndpoints };
  expect(await post(place, "/api/v1/nodes", { metadata: { name: "n" }, status })).toBe(201);
  expect(await post(place, "/api/v1/namespaces/default/pods", pod)).toBe(201);
  const path = "/api/v1/namespaces/default/pods/talks/log";
  const plain = await hear(place, path);
  expect(plain.messages.map(({ data, binary }) => [data.toString(), binary])).toEqual([
    ["", true],
    ["it talks\n", true],
  ]);
  const encoded = await hear(place, path, { protocols: ["unheard-of", "base64.binary.k8s.io"] });
  expect(encoded.protocol).toBe("base64.binary.k8s.io");
  const text = encoded.messages.map(({ data, binary }) => [Buffer.from(data.toString(), "base64").toString(), binary]);
  expect(text).toEqual([
    ["", false],
    ["it talks\n", false],
  ]);
});

test("other upgrades are refused in words that the client can read, also when they come with a method of their own", async () => {
  await using server = await startApiServer();
  await using place = await placeOf(server);
  const headers = { authorization: `Bearer ${place.token}`, connection: "Upgrade", upgrade: "SPDY/3.1" };
  const path = `${place.url}/api/v1/namespaces/default/pods/absent/exec?command=ls`;
  const sent = request(path, { method: "POST", ca: place.ca, agent: false, headers }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  expect(response.statusCode).toBe(404);
});

test("a server that stops closes them in order", async () => {
  await using server = await startApiServer();
  await using place = await placeOf(server);
  const socket = open(place, "/api/v1/namespaces?watch=1");
  await once(socket, "message");
  const closed = once(socket, "close") as Promise<[number]>;
  await place[Symbol.asyncDispose]();
  expect((await closed)[0]).toBe(1000);
});
