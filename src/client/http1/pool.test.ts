import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type Clock, FakeClock, type HttpResponse, Lifetime, systemClock } from "../../base/index.js";
import { readAll } from "../request/exchange.js";
import { borrowed } from "../transport/body-queue.js";
import { dial } from "../transport/dial.js";
import { Http1Pool } from "./pool.js";

const never = new AbortController().signal;
const get = { method: "GET", path: "/", headers: {} };
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

interface Scripted {
  readonly pool: Http1Pool;
  readonly accepted: Socket[];
  /** All bytes that were received, on any connection. */
  received: string;
}

/** A server that gives each request, which it takes to be one without a body, to `answer`. */
async function serve(answer: (socket: Socket, index: number) => void, clock: Clock = systemClock): Promise<Scripted> {
  const accepted: Socket[] = [];
  const scripted = { accepted, received: "" };
  let index = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    accepted.push(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      scripted.received += text;
      if (text.includes("\r\n\r\n")) answer(socket, index++);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const pool = new Http1Pool({
    origin: url,
    clock,
    dial: (signal, onread) => dial({ server: url }, { clock: systemClock, signal, onread }),
  });
  lifetime.defer(() => {
    pool.close(new Error("over") as never);
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  return Object.assign(scripted, { pool });
}

async function textOf(response: HttpResponse): Promise<string> {
  return (await readAll(response.body, 2 ** 30)).toString("latin1");
}

describe("a connection", () => {
  test("serves one request after the other; what comes at the same time gets another", async () => {
    const server = await serve((socket) => void setImmediate(() => socket.write(ok)));
    for (let i = 0; i < 3; i++) expect(await textOf(await server.pool.request(get, never))).toBe("ok");
    expect(server.accepted.length).toBe(1);
    await Promise.all([1, 2, 3].map(async () => textOf(await server.pool.request(get, never))));
    expect(server.accepted.length).toBe(3);
  });

  for (const [what, answer] of [
    ["is closed after an answer that says so", `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok`],
    ["is closed after an answer of HTTP/1.0", `HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok`],
    ["is not believed in when it brings more than the answer", `${ok}more`],
  ] as const)
    test(what, async () => {
      const server = await serve((socket) => void socket.write(answer));
      for (let i = 0; i < 2; i++) expect(await textOf(await server.pool.request(get, never))).toBe("ok");
      expect(server.accepted.length).toBe(2);
    });

  test("is not used any more shortly before the server would close it", async () => {
    const clock = new FakeClock();
    const answer = ok.replace("content-length", "keep-alive: timeout=5\r\ncontent-length");
    const server = await serve((socket) => void socket.write(answer), clock);
    await server.pool.request(get, never);
    await clock.advance(3_900);
    await server.pool.request(get, never);
    expect(server.accepted.length).toBe(1);
    await clock.advance(4_100);
    await server.pool.request(get, never);
    expect(server.accepted.length).toBe(2);
  });

  test("that ends while it is idle is not used again", async () => {
    const server = await serve((socket) => void socket.write(ok));
    await server.pool.request(get, never);
    const closed = once(server.accepted[0] as Socket, "close");
    server.accepted[0]?.end();
    await closed;
    expect(await textOf(await server.pool.request(get, never))).toBe("ok");
    expect(server.accepted.length).toBe(2);
  });

  test("is given up when its answer comes before the request was read", async () => {
    const server = await serve((socket) => {
      socket.pause();
      socket.write(ok.replace("200 OK", "413 Too Large"));
    });
    const request = { ...get, method: "POST", body: Buffer.alloc(32 * 1024 * 1024) };
    expect((await server.pool.request(request, never)).status).toBe(413);
    await once(server.accepted[0]?.resume() as Socket, "close");
  });

  test("that was opened for nobody serves the next", async () => {
    const server = await serve((socket) => void socket.write(ok));
    const stop = new AbortController();
    const call = server.pool.request(get, stop.signal);
    stop.abort();
    await expect(call).rejects.toBe(stop.signal.reason);
    while (server.accepted.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await textOf(await server.pool.request(get, never))).toBe("ok");
    expect(server.accepted.length).toBe(1);
  });

  test("is ended by an abort and by a reader who has enough, at once", async () => {
    const server = await serve((socket) => void socket.write("HTTP/1.1 200 OK\r\n\r\nsome"));
    for (const end of ["abort", "return"] as const) {
      const stop = new AbortController();
      const { body } = await server.pool.request(get, stop.signal);
      const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await reader.next();
      const closed = once(server.accepted.at(-1) as Socket, "close");
      if (end === "abort") {
        const pending = reader.next();
        stop.abort();
        await expect(pending).rejects.toBe(stop.signal.reason);
      } else await reader.return?.();
      await closed;
    }
  });
});

describe("an answer", () => {
  test("is announced by 100 and 103, which are not the answer", async () => {
    const server = await serve(
      (socket) => void socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\na: b\r\n\r\n${ok}`),
    );
    const response = await server.pool.request(get, never);
    expect([response.status, await textOf(response)]).toEqual([200, "ok"]);
  });

  test("without a length ends with the connection", async () => {
    const server = await serve((socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\nall of it"));
    expect(await textOf(await server.pool.request(get, never))).toBe("all of it");
  });

  for (const [what, wire] of [
    ["a body that is too short", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"],
    ["a chunk that is too short", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc"],
    ["no last chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"],
    ["half a head", "HTTP/1.1 200 OK\r\nconte"],
    ["nothing", ""],
  ] as const)
    test(`that ends with ${what} is an error`, async () => {
      const server = await serve((socket) => void socket.end(wire));
      const read = async () => textOf(await server.pool.request(get, never));
      await expect(read()).rejects.toMatchObject({ failure: "closed" });
    });

  for (const wire of [
    "SSH-2.0-x\r\n\r\n",
    "HTTP/1.1 101 Switching\r\n\r\n",
    `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(50_000)}`,
  ])
    test(`${JSON.stringify(wire.slice(0, 30))} breaks the protocol`, async () => {
      const server = await serve((socket) => void socket.write(wire));
      await expect(server.pool.request(get, never)).rejects.toMatchObject({ failure: "malformed" });
    });

  test("arrives as it was sent, whatever the pieces are and however slowly it is read, in place or not", async () => {
    let pieces: readonly Buffer[] = [];
    const server = await serve((socket) => {
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
    });
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 400_000 })), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        async (chunks, cuts, inPlace, pauses) => {
          const bodies = chunks.map((size, index) => Buffer.from(`${index}:`.repeat(size).slice(0, size)));
          const wire = Buffer.concat([
            Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
            ...bodies.flatMap((body) => [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]),
            Buffer.from("0\r\n\r\n"),
          ]);
          const places = [0, ...cuts.map((cut) => cut % wire.length), wire.length].sort((a, b) => a - b);
          pieces = places.slice(1).map((end, i) => wire.subarray(places[i], end));
          const { body } = await server.pool.request(get, never);
          const read: Buffer[] = [];
          let turn = 0;
          for await (const chunk of body instanceof Uint8Array
            ? [body]
            : inPlace
              ? (borrowed(body) as AsyncIterable<Uint8Array>)
              : body) {
            if (pauses[turn++ % pauses.length]) await new Promise((resolve) => setImmediate(resolve));
            read.push(inPlace ? Buffer.from(chunk) : (chunk as Buffer));
          }
          expect(Buffer.concat(read).equals(Buffer.concat(bodies))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
    expect(server.accepted.length).toBe(1);
  });
});

test("a long body is read in place, also by one who was slow to begin", async () => {
  const body = Buffer.alloc(8 * 1024 * 1024, "x");
  const server = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
  const response = await server.pool.request(get, never);
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  let bytes = 0;
  const places = new Set<ArrayBufferLike>();
  for await (const chunk of borrowed(response.body) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // chunks that came before the first read, and the last chunk, are copies
    if (bytes > 4 * 1024 * 1024 && bytes < body.length) places.add(chunk.buffer);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([bytes, places.size]).toEqual([body.length, 1]);
});

test("a request that cannot be sent costs no connection", async () => {
  const server = await serve((socket) => void socket.write(ok));
  await server.pool.request(get, never);
  await expect(server.pool.request({ ...get, path: "/a b" }, never)).rejects.toThrow(TypeError);
  await server.pool.request(get, never);
  expect(server.accepted.length).toBe(1);
});
