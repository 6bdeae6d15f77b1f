import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock, Lifetime } from "../../src/base/index.js";
import { frame, frameTypes, numberFrame, settingsFrame } from "../../src/client/http2/frames.js";
import { readAll } from "../../src/client/request/exchange.js";
import { scriptedPeer } from "./http2-peer.js";

const { data, headers, priority, reset, settings, ping, goaway, windowUpdate, continuation } = frameTypes;
const never = new AbortController().signal;
const get = { method: "GET", path: "/", headers: {} };
const none = Buffer.alloc(0);
const ok = Buffer.from([0x88]);
const opened = (stream: number, flags = 4): Buffer => frame({ type: headers, flags, stream }, ok);
const piece = (stream: number, bytes: number): Buffer => frame({ type: data, flags: 0, stream }, Buffer.alloc(bytes));
const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));
/** A field that goes into the table: afterwards one byte stands for all of it. */
const large = Buffer.concat([Buffer.from([0x40, 1, 120, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4000, "a")]);

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

describe("a server that would fill the memory, or the time, is hung up on with the limit that it broke", () => {
  for (const [what, bytes, message] of [
    [
      "more data than the stream's window",
      [opened(1), times(24, piece(1, 200_000))],
      /4194304 bytes that a stream's window/,
    ],
    [
      "padding beyond the stream's window",
      [
        opened(1),
        times(
          24,
          frame({ type: data, flags: 8, stream: 1 }, Buffer.concat([Buffer.from([200]), Buffer.alloc(200_200)])),
        ),
      ],
      /a stream's window/,
    ],
    [
      "empty CONTINUATIONs without end",
      [opened(1, 0), times(100, frame({ type: continuation, flags: 0, stream: 1 }, none))],
      /more than 64 CONTINUATION frames/,
    ],
    [
      "headers without end",
      [opened(1, 0), times(20, frame({ type: continuation, flags: 0, stream: 1 }, Buffer.alloc(16_384)))],
      /headers of more than 262144 bytes/,
    ],
    [
      "headers that are long by repetition",
      [frame({ type: headers, flags: 4, stream: 1 }, Buffer.concat([ok, large, Buffer.alloc(100, 0xbe)]))],
      /headers of more than 262144 bytes/,
    ],
    [
      "a flood of PING",
      [times(10_001, frame({ type: ping, flags: 0, stream: 0 }, Buffer.alloc(8)))],
      /10000 frames without content/,
    ],
    [
      "a flood of answers to no PING",
      [times(10_001, frame({ type: ping, flags: 1, stream: 0 }, Buffer.alloc(8)))],
      /10000 frames without content/,
    ],
    ["a flood of SETTINGS", [times(10_001, settingsFrame([[3, 7]]))], /10000 frames without content/],
    [
      "a flood of PRIORITY",
      [times(10_001, frame({ type: priority, flags: 0, stream: 1 }, Buffer.alloc(5)))],
      /10000 frames without content/,
    ],
    [
      "a flood of unknown frames",
      [times(10_001, frame({ type: 77, flags: 0, stream: 1 }, none))],
      /10000 frames without content/,
    ],
    [
      "a flood of empty DATA",
      [opened(1), times(10_001, frame({ type: data, flags: 0, stream: 1 }, none))],
      /10000 frames without content/,
    ],
    ["a flood of resets", [times(10_002, numberFrame(reset, 1, 2))], /10000 frames without content/],
    ["frames of no size", [settingsFrame([[5, 0]])], /setting 5 is 0/],
    ["a window of no size that there is", [settingsFrame([[4, 2 ** 31]])], /setting 4 is 2147483648/],
    [
      "a table that changes its size among headers",
      [frame({ type: headers, flags: 4, stream: 1 }, Buffer.from([0x88, 0x20]))],
      /RFC 7541, 4\.2/,
    ],
    ["a window that grows by nothing", [numberFrame(windowUpdate, 1, 0)], /grows by nothing/],
    ["an answer to what nobody asked", [opened(9)], /stream 9, which nobody opened/],
    ["a stream of its own", [opened(2)], /stream 2, which nobody opened/],
  ] as const)
    test(what, async () => {
      const { peer, session } = await scriptedPeer(lifetime, undefined, new FakeClock());
      // nobody reads the first: only its window holds the server back
      const first = session.request(get, never);
      const second = session.request(get, never);
      first.catch(() => {});
      await peer.next(headers);
      peer.send(...bytes);
      await expect(second).rejects.toMatchObject({ failure: "malformed", message });
      await expect(first.then(({ body }) => readAll(body, 2 ** 30))).rejects.toThrow();
      expect([session.active, session.hasRoom]).toEqual([0, false]);
    });
});

describe("an answer that is malformed harms no other", () => {
  const field = (name: string, value: string): Buffer =>
    Buffer.concat([
      Buffer.from([0x00, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]);
  const head = (...fields: readonly Buffer[]): Buffer =>
    frame({ type: headers, flags: 4, stream: 1 }, Buffer.concat(fields));
  for (const [what, bytes, message] of [
    ["without a status", head(field("x", "a")), /without a status/],
    ["with a status that is none", head(field(":status", "abc")), /":status" that may not be there/],
    ["with two", head(ok, ok), /":status" that may not be there/],
    ["with a header in capitals", head(ok, field("X", "a")), /"X" that may not be there/],
    ["with a request's header", head(ok, field(":path", "/")), /":path" that may not be there/],
    ["announced without end", times(65, head(field(":status", "103"))), /more than 64 informational answers/],
    ["with a trailer that is not the end", Buffer.concat([opened(1), opened(1)]), /trailer that is not the end/],
  ] as const)
    test(what, async () => {
      const { peer, session } = await scriptedPeer(lifetime);
      const answers = [session.request(get, never), session.request(get, never)] as const;
      await peer.next(headers);
      peer.send(bytes, opened(3, 5));
      await expect(answers[0].then(({ body }) => readAll(body, 2 ** 30))).rejects.toMatchObject({
        failure: "malformed",
        message,
      });
      expect((await answers[1]).status).toBe(200);
      expect([session.active, session.hasRoom]).toEqual([0, true]);
      expect((await peer.next(reset)).payload.readUInt32BE()).toBe(1);
    });
});

test("whatever frames come, every request ends, and nothing is left", async () => {
  const type = fc.oneof(
    fc.constantFrom(data, headers, priority, reset, settings, ping, goaway, windowUpdate, continuation),
    fc.nat(255),
  );
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(
      none,
      ok,
      large,
      Buffer.alloc(4),
      Buffer.alloc(8),
      Buffer.from([0, 4, 0, 0, 0, 1]),
      Buffer.from([0, 0, 0, 1]),
    ),
    fc.nat(70_000).map((bytes) => Buffer.alloc(bytes, 0x88)),
  );
  const any = fc
    .record({
      type,
      flags: fc.oneof(fc.constantFrom(0, 1, 4, 5), fc.nat(255)),
      stream: fc.constantFrom(0, 1, 1, 3, 3, 5, 2, 2 ** 31 - 1),
      payload,
    })
    .map(({ payload: bytes, ...rest }) => frame(rest, bytes));
  const sound = fc.constantFrom(
    opened(1),
    opened(3),
    opened(1, 5),
    piece(1, 10),
    piece(3, 0),
    frame({ type: data, flags: 1, stream: 3 }, none),
    settingsFrame([[4, 100]]),
  );
  const mangled = fc.tuple(fc.oneof(any, sound), fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
    const copy = Buffer.from(bytes);
    copy[at % copy.length] = byte;
    return copy;
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: sound }, any, mangled), { maxLength: 20 }),
      fc.array(fc.nat(), { maxLength: 5 }),
      async (frames, cuts) => {
        await using own = new Lifetime();
        const { peer, session } = await scriptedPeer(own, undefined, new FakeClock());
        const body = Buffer.alloc(100_000);
        const requests = [get, { ...get, method: "POST", body }, get].map(async (request) =>
          readAll((await session.request(request, never)).body, 2 ** 20),
        );
        const outcomes = Promise.allSettled(requests);
        await peer.next(headers);
        const wire = Buffer.concat(frames);
        const places = [0, ...cuts.map((cut) => cut % (wire.length + 1)), wire.length].sort((a, b) => a - b);
        for (const [index, end] of places.slice(1).entries()) peer.send(wire.subarray(places[index], end));
        peer.socket.end();
        await outcomes;
        expect(session.active).toBe(0);
      },
    ),
    { numRuns: process.env["COXSWAIN_FULL"] === "1" ? 5_000 : 200 },
  );
});
