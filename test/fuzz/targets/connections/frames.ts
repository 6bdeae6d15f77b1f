/**
 * HTTP/2 as a target: an input is the bytes that a server sends to the client; every request of the client must end
 * whatever they are.
 */
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { FakeClock } from "../../../../src/base/index.js";
import { frame, frameTypes, numberFrame, settingsFrame } from "../../../../src/client/http2/frames.js";
import { Http2Session } from "../../../../src/client/http2/session.js";
import { readAll } from "../../../../src/client/request/exchange.js";
import { ConnectionError } from "../../../../src/client/failure.js";
import { Finding, type Outcome, shapeOf, type TargetKind, withinTurns } from "../../target.js";

const { data, headers, reset, settings, ping, goaway, windowUpdate, continuation } = frameTypes;
const ok = Buffer.from([0x88]);
const greeting = settingsFrame([[3, 100]]);
const opened = (stream: number, flags = 4): Buffer => frame({ type: headers, flags, stream }, ok);
const piece = (stream: number, bytes: number, flags = 0): Buffer =>
  frame({ type: data, flags, stream }, Buffer.alloc(bytes, "a"));
const literal = Buffer.concat([Buffer.from([0x40, 1]), Buffer.from("x"), Buffer.from([1]), Buffer.from("y")]);

/** One end of a pair of streams, with the further members of a socket that a session uses. */
function asSocket(stream: Duplex): Socket {
  const none = (): Duplex => stream;
  const destroySoon = (): void => void stream.end(() => stream.destroy());
  return Object.assign(stream, { ref: none, unref: none, destroySoon, bytesRead: 0 }) as unknown as Socket;
}

const get = { method: "GET", path: "/", headers: {} };
const requests = [get, { ...get, method: "POST", body: Buffer.alloc(100_000) }, get];

async function run(input: Uint8Array): Promise<Outcome> {
  const [ours, theirs] = duplexPair();
  theirs.resume();
  theirs.on("error", () => {});
  const session = new Http2Session({
    socket: asSocket(ours),
    origin: new URL("https://server.test:443"),
    material: undefined,
    clock: new FakeClock(),
    readIdleMs: 30_000,
    pingTimeoutMs: 15_000,
    onRetired: () => {},
    onFreed: () => {},
  });
  const { signal } = new AbortController();
  theirs.write(greeting);
  await withinTurns(session.ready(), "the greeting");
  const outcomes = Promise.allSettled(
    requests.map(async (request) => readAll((await session.request(request, signal)).body, 2 ** 20)),
  );
  theirs.end(input);
  const ended = await withinTurns(outcomes, "a request");
  if (session.active !== 0) throw new Finding(`${session.active} requests are left`);
  const details = ended.map((outcome) => {
    if (outcome.status === "fulfilled") return "ok";
    if (!(outcome.reason instanceof ConnectionError)) throw outcome.reason;
    return shapeOf(outcome.reason.message);
  });
  return { kind: details[0] ?? "", detail: details.join(" | ") };
}

export const frames: TargetKind = {
  name: "http2-frames",
  seeds: [
    Buffer.concat([opened(1), piece(1, 10, 1), opened(3, 5), opened(5), piece(5, 0, 1)]),
    Buffer.concat([
      frame({ type: headers, flags: 4, stream: 1 }, Buffer.concat([ok, literal, Buffer.from([0xbe])])),
      piece(1, 300),
    ]),
    Buffer.concat([
      frame({ type: headers, flags: 1, stream: 1 }, ok),
      frame({ type: continuation, flags: 4, stream: 1 }, literal),
    ]),
    Buffer.concat([
      settingsFrame([
        [4, 100],
        [1, 0],
        [5, 16_384],
      ]),
      frame({ type: ping, flags: 0, stream: 0 }, Buffer.alloc(8)),
      opened(3),
    ]),
    Buffer.concat([numberFrame(windowUpdate, 0, 100_000), numberFrame(windowUpdate, 3, 100_000), opened(3, 5)]),
    Buffer.concat([
      numberFrame(reset, 1, 7),
      frame({ type: goaway, flags: 0, stream: 0 }, Buffer.from([0, 0, 0, 3, 0, 0, 0, 0])),
      opened(3, 5),
    ]),
    Buffer.concat([
      frame({ type: data, flags: 8, stream: 1 }, Buffer.from([2, 97, 0, 0])),
      frame({ type: settings, flags: 1, stream: 0 }, Buffer.alloc(0)),
    ]),
  ],
  words: [
    ":status",
    "200",
    "content-length",
    "transfer-encoding",
    "\u0000\u0000\u0001\u0001\u0004\u0000\u0000\u0000\u0001",
    "\u0000\u0000\u0000\u0000\u0001\u0000\u0000\u0000\u0003",
  ],
  open: async () => ({ run, [Symbol.asyncDispose]: async () => {} }),
};
