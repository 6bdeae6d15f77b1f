import { once } from "node:events";
import { constants } from "node:http2";
import { request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FakeClock, systemClock } from "../../base/index.js";
import { startTestServer } from "../../testing/cluster.js";
import {
  type Answer,
  ask,
  configMap,
  configMaps,
  isAlive,
  rawSocket,
  session,
  type Target,
  targetOf,
} from "../../../test/client/peers.js";

/** The kernel decides when bytes arrive, so time moves until the promise has settled. */
async function whileTimePasses<T>(clock: FakeClock, awaited: Promise<T>): Promise<T> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  awaited.then(note, note);
  const { signal } = new AbortController();
  while (!settled) {
    await clock.advance(5_000);
    // for the kernel this is time as well
    await systemClock.sleep(2, signal);
  }
  return awaited;
}

const frame = (type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

/** A peer that starts a watch over HTTP/2 and then neither asks nor answers anything. */
async function silentWatcher({ port, ca, token }: Target): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["h2"] });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  // GET, https, and then path, authority and authorization by their numbers in the table that both sides know
  const [path, authority, authorization] = [Buffer.from([4]), Buffer.from([1]), Buffer.from([0x0f, 8])];
  const headers = [Buffer.from([0x82, 0x87]), path, text("/api/v1/namespaces?watch=1"), authority, text("x")];
  const block = Buffer.concat([...headers, authorization, text(`Bearer ${token}`)]);
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0), frame(1, 5, 1, block)]));
  return socket;
}

test("a body that trickles in is given up on, over HTTP/1.1 and HTTP/2, and nobody else waits", async () => {
  const clock = new FakeClock({ startMs: systemClock.now() });
  await using server = await startTestServer({ clock });
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const slow = await rawSocket(target);
  slow.write(
    `POST ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-length: 100\r\n\r\n{`,
  );
  const http2 = await session(target);
  const stream = http2.request({ ":method": "POST", ":path": configMaps, authorization: `Bearer ${server.token}` });
  stream.write("{");
  stream.on("error", () => {});
  expect(await isAlive(target)).toBe(true);
  const closed = once(slow, "close");
  const answers = Promise.all([once(slow, "data"), once(stream, "response")]);
  const [[text], [headers]] = (await whileTimePasses(clock, answers)) as [[Buffer], [Record<string, unknown>]];
  expect(text.toString()).toMatch(/^HTTP\/1\.1 504 /);
  expect(headers[":status"]).toBe(504);
  await closed;
  http2.destroy();
  expect(await isAlive(target)).toBe(true);
});

test("hundreds of connections that say nothing, or half a header, cost no one else anything", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const idle = await Promise.all(Array.from({ length: 200 }, () => rawSocket(target)));
  for (const socket of idle.slice(0, 100)) socket.write("GET /version HTTP/1.1\r\nho");
  expect(await isAlive(target)).toBe(true);
  for (const socket of idle) socket.destroy();
});

test("an idle HTTP/2 connection ends after a while; one whose other side is silent is cut", async () => {
  const clock = new FakeClock({ startMs: systemClock.now() });
  await using server = await startTestServer({ clock });
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const idle = await session(target);
  await whileTimePasses(clock, once(idle, "close"));
  const silent = await silentWatcher(target);
  let received = "";
  silent.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  await expect.poll(() => received, { timeout: 60_000 }).toContain('"type":"ADDED"');
  await whileTimePasses(clock, once(silent, "close"));
  expect(await isAlive(target)).toBe(true);
});

test("streams that are opened and reset at once end the connection, and the server goes on", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const attacker = await session(target);
  let gone = false;
  const closed = new Promise<void>((resolve) => {
    attacker.once("close", () => {
      gone = true;
      resolve();
    });
  });
  for (let sent = 0; !gone && sent < 20_000; sent++) {
    if (attacker.destroyed || attacker.closed) break;
    const stream = attacker.request({ ":path": configMaps, authorization: `Bearer ${server.token}` });
    stream.on("error", () => {});
    stream.close(constants.NGHTTP2_CANCEL);
    if (sent % 200 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await closed;
  expect(await isAlive(target)).toBe(true);
});

test("a connection may hold so many streams and no more", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const client = await session(targetOf(listener, server));
  expect(client.remoteSettings.maxConcurrentStreams).toBe(1000);
  client.destroy();
});

test("a request that names two hosts is refused", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const socket = await rawSocket(targetOf(listener, server));
  socket.write("GET /version HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n");
  const [refusal] = (await once(socket, "data")) as [Buffer];
  expect(refusal.toString()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  await once(socket, "close");
});

test("headers and addresses beyond all measure are refused", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const long = (length: number): Promise<Answer> =>
    ask(target, { path: "/version", headers: { "x-long": "x".repeat(length) } });
  const answers = await Promise.all([
    long(60_000),
    long(100_000),
    ask(target, { path: `/version?x=${"x".repeat(100_000)}` }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 431, 431]);
  // also a client that sends more than is read, and then all of it
  const endless = await rawSocket(target);
  endless.write(`GET /version HTTP/1.1\r\nhost: x\r\nx-long: ${"x".repeat(800_000)}\r\n\r\n`);
  const [refusal] = (await once(endless, "data")) as [Buffer];
  expect(refusal.toString()).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  await once(endless, "close");
  const http2 = await session(target);
  const stream = http2.request({ ":path": "/version", "x-long": "x".repeat(100_000) });
  const outcome = await new Promise<unknown>((resolve) => {
    stream.on("response", (headers) => resolve(headers[":status"]));
    stream.on("error", () => resolve("reset"));
    stream.on("close", () => resolve("closed"));
  });
  expect(outcome).not.toBe(200);
  http2.destroy();
  expect(await isAlive(target)).toBe(true);
});

const aliases = (): string => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `  a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(", ")}]`,
  );
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\ndata:\n  a0: &a0 [x, x, x, x]\n${levels.join("\n")}\n`;
};

test.each([
  ["JSON that is too deep", "application/json", "[".repeat(200_000)],
  ["objects that are too deep", "application/json", '{"a":'.repeat(100_000)],
  ["YAML whose aliases multiply", "application/yaml", aliases()],
  ["YAML that is too deep", "application/yaml", "[".repeat(100_000)],
  ["a compressed body", "application/json", gzipSync(configMap("zipped", 10))],
  [
    "protobuf that promises more than there is",
    "application/vnd.kubernetes.protobuf",
    Buffer.from("6b3873000aff7f", "hex"),
  ],
])("%s is a bad request and nothing else", async (_, type, body) => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const coding: Readonly<Record<string, string>> = Buffer.isBuffer(body) ? { "content-encoding": "gzip" } : {};
  const { status } = await ask(target, {
    method: "POST",
    path: configMaps,
    headers: { "content-type": type, ...coding },
    body,
  });
  expect([400, 413, 415, 422]).toContain(status);
  expect(await isAlive(target)).toBe(true);
});

test("long answers are gzipped for those who take it, short ones and watches never", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  for (let i = 0; i < 4; i++) {
    await ask(target, { method: "POST", path: configMaps, body: configMap(`long-${i}`, 100_000) });
  }
  const gzip = { "accept-encoding": "gzip" };
  const [plain, list, one, page] = await Promise.all([
    ask(target, { path: configMaps }),
    ask(target, { path: configMaps, headers: gzip }),
    ask(target, { path: `${configMaps}/long-0`, headers: gzip }),
    ask(target, { path: `${configMaps}?limit=2`, headers: gzip }),
  ]);
  expect(list.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(gunzipSync(list.body).equals(plain.body)).toBe(true);
  expect(list.body.length).toBeLessThan(plain.body.length / 10);
  expect(one.headers["content-encoding"]).toBeUndefined();
  expect(JSON.parse(gunzipSync(page.body).toString())).toMatchObject({ kind: "ConfigMapList" });
  const refusing = await ask(target, { path: configMaps, headers: { "accept-encoding": "gzip;q=0, identity" } });
  expect(refusing.headers["content-encoding"]).toBeUndefined();
  const watching = request(`${target.url}${configMaps}?watch=1`, {
    ca: target.ca,
    headers: { authorization: `Bearer ${target.token}`, ...gzip },
  });
  watching.on("error", () => {});
  watching.end();
  const [response] = (await once(watching, "response")) as [{ headers: Record<string, string>; destroy(): void }];
  expect(response.headers["content-encoding"]).toBeUndefined();
  response.destroy();
});

test("long lists that are sent at the same time do not mix, though they share memory", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  for (let i = 0; i < 12; i++) {
    await ask(target, { method: "POST", path: configMaps, body: configMap(`c-${i}`, 90_000 + i) });
  }
  const http2 = await session(target);
  const overHttp2 = (): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const stream = http2.request({ ":path": configMaps, authorization: `Bearer ${server.token}` });
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => resolve(Buffer.concat(chunks)));
      stream.on("error", reject);
    });
  const overHttp1 = async (): Promise<Buffer> => (await ask(target, { path: configMaps })).body;
  const expected = await overHttp1();
  const lists = await Promise.all(Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? overHttp2() : overHttp1())));
  expect(expected.length).toBeGreaterThan(1_000_000);
  expect(lists.map((list) => list.equals(expected))).toEqual(lists.map(() => true));
  http2.destroy();
});

test.each(["http/1.1", "h2"])(
  "a server that stops does not wait for a watcher that does not read, over %s",
  async (protocol) => {
    await using server = await startTestServer({ clock: new FakeClock({ startMs: systemClock.now() }) });
    const listener = await server.listen();
    const target = targetOf(listener, server);
    for (let i = 0; i < 20; i++) {
      await ask(target, { method: "POST", path: configMaps, body: configMap(`c-${i}`, 1_000_000) });
    }
    const path = `${configMaps}?watch=1`;
    const authorization = `Bearer ${server.token}`;
    const http2 = protocol === "h2" ? await session(target) : undefined;
    const http1 = protocol === "h2" ? undefined : await rawSocket(target);
    const stream = http2?.request({ ":path": path, authorization });
    stream?.on("error", () => {});
    http1?.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`);
    await once((stream ?? http1) as NodeJS.EventEmitter, "readable");
    await listener[Symbol.asyncDispose]();
    http1?.destroy();
    http2?.destroy();
  },
);

test("a client that reads nothing of a long list for a minute is cut off", async () => {
  const clock = new FakeClock({ startMs: systemClock.now() });
  await using server = await startTestServer({ clock });
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  for (let i = 0; i < 20; i++) {
    await ask(target, { method: "POST", path: configMaps, body: configMap(`c-${i}`, 1_000_000) });
  }
  const socket = await rawSocket(target);
  socket.write(`GET ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\n\r\n`);
  await once(socket, "readable");
  const closed = once(socket, "close");
  for (let i = 0; i < 40; i++) {
    await clock.advance(5_000);
    await systemClock.sleep(2, new AbortController().signal);
  }
  // the bytes that the kernel holds are read, and then the end
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(20_000_000);
});
