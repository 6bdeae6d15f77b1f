/**
 * SPDY as a target: an input is the bytes that a client sends to a session, cut into pieces by their own values; the
 * session and its streams must end with the connection whatever they are.
 */
import { duplexPair } from "node:stream";
import { controlFrame, dataHead, finFlag, frameType, numbers } from "../../../../src/base/spdy/frames.js";
import { HeaderWriter, type SpdyHeaders } from "../../../../src/base/spdy/headers.js";
import { SpdySession, type SpdyStream } from "../../../../src/base/spdy/session.js";
import { Finding, type Outcome, type TargetKind, withinTurns } from "../../target.js";

type Frame = (writer: HeaderWriter) => Buffer;

const opened =
  (id: number, headers: SpdyHeaders, flags = 0): Frame =>
  (writer) =>
    controlFrame(frameType.open, Buffer.concat([numbers(id, 0), Buffer.alloc(2), writer.write(headers)]), flags);
const data =
  (id: number, bytes: number, fin = false): Frame =>
  () =>
    Buffer.concat([dataHead(id, bytes, fin), Buffer.alloc(bytes, "a")]);
const control =
  (kind: number, ...values: readonly number[]): Frame =>
  () =>
    controlFrame(kind, numbers(...values));

const named = (name: string): SpdyHeaders => new Map([["streamtype", name]]);

function session(...frames: readonly Frame[]): Uint8Array {
  const writer = new HeaderWriter();
  return Buffer.concat(frames.map((frame) => frame(writer)));
}

const maxStreams = 3;

async function run(input: Uint8Array): Promise<Outcome> {
  const [here, there] = duplexPair();
  here.on("error", () => {}).resume();
  const streams: SpdyStream[] = [];
  // of three streams, one is read, one answers, and nobody cares for the third
  const onStream = (stream: SpdyStream): void => {
    const nth = streams.push(stream) % 3;
    if (nth === 1) stream.resume();
    else if (nth === 2) stream.pipe(stream);
  };
  const served = new SpdySession(there, { side: "server", onStream, maxStreams });
  const cut = (input[0] ?? 0) % 64;
  here.write(input.subarray(0, cut));
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  const most = streams.filter(({ destroyed }) => !destroyed).length;
  if (most > maxStreams) throw new Finding(`${most} streams are open`);
  here.end(input.subarray(cut));
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  const isBroken = there.destroyed;
  here.destroy();
  there.destroy();
  await withinTurns(served.done, "the session");
  for (const stream of streams) stream.resume();
  await withinTurns(Promise.all(streams.map(closing)), "a stream");
  const bytes = streams.map((stream) => (stream.readableEnded ? "ended" : "cut")).join(" ");
  return { kind: isBroken ? "broken" : "kept", detail: `${streams.length} ${bytes}`.slice(0, 60) };
}

const closing = (stream: SpdyStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once("close", () => resolve());
  });

export const spdy: TargetKind = {
  name: "spdy-frames",
  seeds: [
    session(opened(1, named("error")), opened(3, named("stdin")), data(3, 100, true), data(1, 0, true)),
    session(opened(1, named("a")), opened(3, named("b")), opened(5, named("c")), data(5, 40_000), data(3, 40_000)),
    session(opened(1, named("a"), finFlag), control(frameType.ping, 1), control(frameType.reset, 1, 5)),
    session(opened(1, new Map()), opened(1, new Map()), opened(2, new Map()), control(frameType.goAway, 0, 0)),
    session(control(frameType.settings, 0), control(frameType.window, 1, 100), control(frameType.reply, 2)),
    session(...Array.from({ length: 6 }, (_, i) => opened(2 * i + 1, named("x".repeat(i * 100))))),
  ],
  words: ["streamtype", "\u0080\u0003\u0000\u0001", "\u0080\u0003\u0000\u0003", "\u0000\u0000\u0000\u0001", "x\u0001"],
  open: async () => ({ run, [Symbol.asyncDispose]: async () => {} }),
};
