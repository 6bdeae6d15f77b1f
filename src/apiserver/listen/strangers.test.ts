import { once } from "node:events";
import { constants } from "node:http2";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { startTestServer } from "../../testing/cluster.js";
import { ask, configMap, configMaps, rawSocket, session, targetOf } from "../../../test/client/peers.js";

test("the body of a stranger is not taken, over HTTP/1.1 and HTTP/2, and the stranger gets to read why", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const stranger = { ...target, token: "nobody's" };
  const body = configMap("a", 2_000_000);
  const post = { method: "POST", path: configMaps, body };
  const [large, small] = await Promise.all([ask(stranger, post), ask(stranger, { ...post, body: "{}" })]);
  expect([large.status, large.headers["connection"]]).toEqual([401, "close"]);
  expect(small.status).toBe(401);
  const http2 = await session(target);
  const stream = http2.request({ ":method": "POST", ":path": configMaps });
  stream.on("error", () => {});
  // the answer comes while the body is still on its way, and then nothing more is asked for
  stream.write(body.slice(0, 100_000));
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  expect(headers[":status"]).toBe(401);
  stream.resume();
  await once(stream, "close");
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  http2.destroy();
});

test("a client that asks first is told to go on only if it is known", async () => {
  await using server = await startTestServer();
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const answers = async (token: string): Promise<string> => {
    const socket = await rawSocket(target);
    const body = configMap("asked", 10);
    const head = `POST ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n`;
    socket.write(`${head}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`);
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      if (received === "" && chunk.toString().startsWith("HTTP/1.1 100")) socket.write(body);
      received += chunk.toString();
    });
    await once(socket, "close");
    return [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => code).join(" ");
  };
  expect([await answers(target.token), await answers("nobody's")]).toEqual(["100 201", "401"]);
});

test("of connections that show nobody only so many stay, and the newest of them", async () => {
  await using server = await startTestServer({ limits: { strangers: 3 } });
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const known = await rawSocket(target);
  const asking = `GET /api/v1/namespaces/default HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\n\r\n`;
  known.write(asking);
  await once(known, "data");
  const strangers: TLSSocket[] = [];
  let open = 0;
  for (let i = 0; i < 10; i++) {
    const socket = await rawSocket(target);
    strangers.push(socket);
    open++;
    socket.once("close", () => open--);
  }
  await expect.poll(() => open, { timeout: 60_000 }).toBe(3);
  expect(strangers.map(({ destroyed }) => destroyed)).toEqual(strangers.map((_, i) => i < 7));
  known.write(asking);
  expect(String(await once(known, "data"))).toMatch(/^HTTP\/1\.1 200/);
  for (const socket of [known, ...strangers]) socket.destroy();
});

test("bodies that are together too long are refused with when to try again, and the connection goes on", async () => {
  await using server = await startTestServer({ limits: { bodiesBytes: 20_000 } });
  await using listener = await server.listen();
  const target = targetOf(listener, server);
  const socket = await rawSocket(target);
  const post = (body: string): void => {
    const head = `POST ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  };
  post(configMap("long", 100_000));
  const [refused] = (await once(socket, "data")) as [Buffer];
  expect(refused.toString()).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1/i);
  post(configMap("short", 1_000));
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  await expect.poll(() => received, { timeout: 60_000 }).toContain("HTTP/1.1 201");
  socket.destroy();
});
