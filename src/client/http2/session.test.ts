import { once } from "node:events";
import { createServer as createH2c, type IncomingHttpHeaders } from "node:http2";
import { createServer } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type Clock, FakeClock, type HttpResponse, Lifetime } from "../../base/index.js";
import { readAll } from "../request/exchange.js";
import { listening, scriptedPeer, sessionTo } from "../../../test/client/http2-peer.js";
import { frame, frameTypes, numberFrame, settingsFrame } from "./frames.js";

const never = new AbortController().signal;
const get = { method: "GET", path: "/", headers: {} };

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

const scripted = (settings?: readonly (readonly [number, number])[], clock?: Clock): ReturnType<typeof scriptedPeer> =>
  scriptedPeer(lifetime, settings, clock);

const { data, headers, continuation, reset, goaway, ping, settings: settingsType, windowUpdate } = frameTypes;
/** `:status: 200`, and a literal `x: <value>`. */
const ok = Buffer.from([0x88]);
const ended = (stream: number, text: string): Buffer => frame({ type: data, flags: 1, stream }, Buffer.from(text));
const opened = (stream: number, flags = 4): Buffer => frame({ type: headers, flags, stream }, ok);
const bodyOf = async ({ body }: HttpResponse): Promise<string> => (await readAll(body, 2 ** 30)).toString();

describe("with node's own server", () => {
  test("headers and bodies of any kind arrive as they were sent, both ways", async () => {
    const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
    const plan: { headers: Record<string, string>; body: Buffer }[] = [];
    const server = await listening(createH2c(), lifetime);
    server.on("stream", (stream, received) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        seen.push({ headers: received, body: Buffer.concat(chunks).toString("latin1") });
        const { headers: answer, body } = plan.shift() as (typeof plan)[number];
        stream.respond({ ":status": 200, ...answer });
        stream.end(body);
      });
    });
    const session = await sessionTo(server, lifetime);
    await session.ready();
    const name = fc.stringMatching(/^x-[a-z]{1,6}$/);
    const value = fc.string({ unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)) });
    const fields = fc.dictionary(name, value, { maxKeys: 8 });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 50 }),
      fc.nat(200_000).map((size) => Buffer.alloc(size, "x")),
    );
    await fc.assert(
      fc.asyncProperty(fields, bytes, fields, bytes, async (ours, sent, theirs, answer) => {
        plan.push({ headers: theirs, body: Buffer.from(answer) });
        const response = await session.request({ method: "POST", path: "/a?b", headers: ours, body: sent }, never);
        expect(Buffer.compare(await readAll(response.body, 2 ** 30), answer)).toBe(0);
        expect(response.headers).toMatchObject(theirs);
        const received = seen.pop();
        expect(received?.headers).toMatchObject({ ":path": "/a?b", ...ours });
        expect(received?.body).toBe(Buffer.from(sent).toString("latin1"));
      }),
      { numRuns: 60 },
    );
  });
});

describe("an answer", () => {
  test("that came whole is given whole", async () => {
    const { peer, session } = await scripted();
    const answer = session.request(get, never);
    await peer.next(headers);
    peer.send(opened(1), ended(1, "all"));
    const { status, body } = await answer;
    expect([status, body]).toEqual([200, Buffer.from("all")]);
  });

  test("whose headers come in several frames, padded, after an announcement and before trailers, is read", async () => {
    const { peer, session } = await scripted();
    const answer = session.request(get, never);
    await peer.next(headers);
    const literal = Buffer.from([0x00, 1, 120, 3, 97, 98, 99]);
    peer.send(
      frame({ type: headers, flags: 4, stream: 1 }, Buffer.from([0x08, 3, 49, 48, 48])),
      frame({ type: headers, flags: 8, stream: 1 }, Buffer.concat([Buffer.from([2]), ok, Buffer.alloc(2)])),
      frame({ type: continuation, flags: 0, stream: 1 }, literal.subarray(0, 3)),
      frame({ type: continuation, flags: 4, stream: 1 }, literal.subarray(3)),
      frame({ type: data, flags: 8, stream: 1 }, Buffer.from([1, 104, 105, 0])),
      frame({ type: headers, flags: 5, stream: 1 }, literal),
    );
    const response = await answer;
    expect([response.status, response.headers, await bodyOf(response)]).toEqual([200, { x: "abc" }, "hi"]);
  });

  test("may have headers with the names of what every object inherits", async () => {
    const { peer, session } = await scripted();
    const answer = session.request(get, never);
    await peer.next(headers);
    const names = ["constructor", "__proto__", "tostring"];
    const fields = names.map((name) =>
      Buffer.concat([Buffer.from([0x00, name.length]), Buffer.from(name), Buffer.from([1, 120])]),
    );
    peer.send(frame({ type: headers, flags: 5, stream: 1 }, Buffer.concat([ok, ...fields])));
    expect(Object.entries((await answer).headers)).toEqual(names.map((name) => [name, "x"]));
  });

  test("before the request was sent whole is the answer, and the rest is not sent", async () => {
    const { peer, session } = await scripted();
    const answer = session.request({ ...get, method: "POST", body: Buffer.alloc(1_000_000) }, never);
    await peer.next(headers);
    peer.send(opened(1), ended(1, "no"));
    expect(await bodyOf(await answer)).toBe("no");
    expect((await peer.next(reset)).payload.readUInt32BE()).toBe(8);
    expect(session.active).toBe(0);
  });

  test("that is shorter than it says is an error of that request only", async () => {
    const { peer, session } = await scripted();
    const [short, whole] = [session.request(get, never), session.request(get, never)];
    await peer.next(headers);
    const announced = Buffer.concat([ok, Buffer.from([0x0f, 13, 1, 57])]);
    peer.send(frame({ type: headers, flags: 4, stream: 1 }, announced), ended(1, "12345678"));
    await expect(short).rejects.toThrow("the answer has 8 bytes, but announced 9");
    peer.send(opened(3), ended(3, "fine"));
    expect(await bodyOf(await whole)).toBe("fine");
  });

  test("that the reader leaves early is cancelled, and what still comes of it harms nobody", async () => {
    const { peer, session } = await scripted();
    const left = session.request(get, never);
    await peer.next(headers);
    peer.send(opened(1), frame({ type: data, flags: 0, stream: 1 }, Buffer.from("a")));
    for await (const _ of (await left).body as AsyncIterable<Uint8Array>) break;
    expect((await peer.next(reset)).head.stream).toBe(1);
    const other = session.request(get, never);
    peer.send(frame({ type: data, flags: 0, stream: 1 }, Buffer.from("b")), opened(1, 5), opened(3), ended(3, "c"));
    expect(await bodyOf(await other)).toBe("c");
  });
});

describe("flow control", () => {
  test("nothing is sent beyond what the server takes, of one request and of all, also if it takes less later", async () => {
    const { peer, session } = await scripted([
      [3, 100],
      [4, 10],
    ]);
    void session.request({ ...get, method: "POST", body: Buffer.from("0123456789abcdefghij") }, never).catch(() => {});
    const sizeOfNext = async (): Promise<number> => (await peer.next(data)).payload.length;
    expect(await sizeOfNext()).toBe(10);
    // less by 5: the stream owes them; then 8 more are 3
    peer.send(settingsFrame([[4, 5]]), numberFrame(windowUpdate, 1, 8));
    expect(await sizeOfNext()).toBe(3);
    peer.send(numberFrame(windowUpdate, 1, 100));
    const last = await peer.next(data);
    expect([last.payload.toString(), last.head.flags]).toEqual(["defghij", 1]);
  });

  test("a reader that falls behind holds back its own answer only", async () => {
    const { peer, session } = await scripted();
    const slow = session.request(get, never);
    await peer.next(headers);
    await peer.next(windowUpdate);
    const piece = frame({ type: data, flags: 0, stream: 1 }, Buffer.alloc(200_000));
    peer.send(opened(1), ...Array.from({ length: 12 }, () => piece));
    const { body } = await slow;
    const other = session.request(get, never);
    peer.send(opened(3), ended(3, "not held back"));
    expect(await bodyOf(await other)).toBe("not held back");
    const granted = peer.next(windowUpdate);
    const reading = readAll(body, 2 ** 30);
    expect((await granted).head.stream).toBe(1);
    peer.send(frame({ type: data, flags: 1, stream: 1 }, Buffer.alloc(0)));
    expect((await reading).length).toBe(12 * 200_000);
  });
});

describe("a server", () => {
  test("is answered when it asks for a sign of life or changes its settings", async () => {
    const { peer } = await scripted();
    await peer.next(settingsType);
    expect((await peer.next(settingsType)).head.flags).toBe(1);
    peer.send(frame({ type: ping, flags: 0, stream: 0 }, Buffer.from("12345678")), settingsFrame([[3, 5]]));
    const pong = await peer.next(ping);
    expect([pong.head.flags, pong.payload.toString()]).toEqual([1, "12345678"]);
    expect((await peer.next(settingsType)).head.flags).toBe(1);
  });

  test("that goes away finishes what it says it will, and the rest may be sent again", async () => {
    const { peer, session } = await scripted();
    const [kept, lost] = [session.request(get, never), session.request({ ...get, method: "POST" }, never)];
    await peer.next(headers);
    peer.send(frame({ type: goaway, flags: 0, stream: 0 }, Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])));
    await expect(lost).rejects.toMatchObject({ failure: "closed", unprocessed: true });
    expect([session.retired, session.hasRoom, session.active]).toEqual([true, false, 1]);
    peer.send(opened(1), ended(1, "kept"));
    expect(await bodyOf(await kept)).toBe("kept");
    await once(peer.socket, "close");
  });

  test("that refuses a stream has not seen it; that resets one may have", async () => {
    const { peer, session } = await scripted();
    const [refused, broken] = [session.request(get, never), session.request(get, never)];
    await peer.next(headers);
    peer.send(numberFrame(reset, 1, 7), numberFrame(reset, 3, 2));
    await expect(refused).rejects.toMatchObject({ unprocessed: true });
    await expect(broken).rejects.toMatchObject({ unprocessed: false, message: /reset with code 2/ });
  });

  const violations = [
    ["a push", frame({ type: 5, flags: 4, stream: 1 }, Buffer.from([0, 0, 0, 2]))],
    ["data that nobody asked for", ended(9, "x")],
    ["data before headers", ended(1, "x")],
    ["a frame between the parts of a header", Buffer.concat([opened(1, 0), numberFrame(windowUpdate, 0, 1)])],
    ["a header that cannot be read", frame({ type: headers, flags: 4, stream: 1 }, Buffer.from([0xff]))],
    ["a window that is too large", numberFrame(windowUpdate, 0, 2 ** 31 - 1)],
  ] as const;
  for (const [what, bytes] of violations) {
    test(`that sends ${what} is hung up on, and every request says so`, async () => {
      const { peer, session } = await scripted();
      const answers = [session.request(get, never), session.request(get, never)];
      await peer.next(headers);
      peer.send(bytes);
      for (const answer of answers) {
        await expect(answer).rejects.toMatchObject({
          failure: "malformed",
          message: /server\.test.* breaks HTTP\/2: /,
        });
      }
      expect([session.active, session.hasRoom]).toEqual([0, false]);
    });
  }

  test("that does not begin with SETTINGS is not one", async () => {
    const server = await listening(
      createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
      lifetime,
    );
    await expect((await sessionTo(server, lifetime)).ready()).rejects.toMatchObject({
      failure: "malformed",
      unprocessed: true,
    });
  });
});

describe("a connection", () => {
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  test("that lay idle is asked for a sign of life with the first request on it, and given up without one", async () => {
    const clock = new FakeClock();
    const { peer, session } = await scripted(undefined, clock);
    const first = session.request(get, never);
    await peer.next(headers);
    peer.send(opened(1), ended(1, "all"));
    await first;
    await turn();
    await clock.advance(31_000);
    const second = session.request(get, never);
    await peer.next(ping);
    const given = expect(second).rejects.toThrow("server.test gives no sign of life: a ping was not answered");
    await clock.advance(15_000);
    await given;
  });

  test("on which nothing is heard for a while is asked too, and lives on with an answer", async () => {
    const clock = new FakeClock();
    const { peer, session } = await scripted(undefined, clock);
    const waiting = session.request(get, never);
    await peer.next(headers);
    // ours, and the answer to theirs
    for (let i = 0; i < 2; i++) await peer.next(settingsType);
    for (let i = 0; i < 3; i++) {
      await clock.advance(30_000);
      const { payload } = await peer.next(ping);
      peer.send(frame({ type: ping, flags: 1, stream: 0 }, payload), settingsFrame([]));
      await peer.next(settingsType);
    }
    peer.send(opened(1), ended(1, "at last"));
    expect(await bodyOf(await waiting)).toBe("at last");
  });
});

test("what never left this process has not been processed", async () => {
  const { peer, session } = await scripted();
  const sent = session.request({ ...get, method: "POST" }, never);
  await peer.next(headers);
  const gone = new Promise<void>((resolve) => void peer.socket.once("close", resolve));
  peer.socket.destroy();
  await gone;
  await expect(sent).rejects.toMatchObject({ failure: "closed", unprocessed: false });
  await expect(session.request({ ...get, method: "POST" }, never)).rejects.toMatchObject({ unprocessed: true });
});
