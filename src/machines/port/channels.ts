/** The streams of a process in a container, over SPDY or a WebSocket: input, output, errors, size and outcome. */
import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough, type Readable, Writable } from "node:stream";
import type { WebSocket } from "ws";
import { type Clock, linkedAbort, messageOf } from "../../base/index.js";
import type { SpdySession, SpdyStream } from "../../base/spdy/session.js";
import type { ProcessStreams } from "./process.js";
import { roomIn } from "../../base/net/streams.js";

/** A connection that has switched to SPDY. */
export interface Accepted {
  readonly session: SpdySession;
  /** The streams that the other side opens, in their order. */
  onStream(listener: (stream: SpdyStream) => void): void;
}

export interface StreamsAsked {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Runs the process on the streams; resolves with its exit code. */
export type Run = (streams: ProcessStreams, signal: AbortSignal) => Promise<number>;

/** The time in which a client must open all its streams, as a kubelet's. */
const creationMs = 30_000;

export interface SpdyProcess {
  readonly streams: StreamsAsked;
  readonly run: Run;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Resolves when the connection is closed. */
export async function spdyProcess({ session, onStream }: Accepted, options: SpdyProcess): Promise<void> {
  const { streams, run, clock, signal } = options;
  const wanted = ["error", ...namesOf(streams)];
  using stop = linkedAbort(signal);
  void session.done.then(() => stop.abort(new Error("the client went away")));
  stop.signal.addEventListener("abort", () => session.destroy(), { once: true });
  const opened = new Map<string, SpdyStream>();
  using _limit = clock.timer(creationMs, () => opened.size < wanted.length && session.destroy());
  await new Promise<void>((resolve) => {
    void session.done.then(resolve);
    onStream((stream) => {
      const name = stream.headers.get("streamtype") ?? "";
      if (!wanted.includes(name) || opened.has(name)) return void stream.destroy();
      opened.set(name, stream);
      if (opened.size === wanted.length) resolve();
    });
  });
  if (opened.size < wanted.length) return await session.done;
  const { stdin, stdout, stderr, resize, error } = Object.fromEntries(opened);
  resize?.resume();
  error?.resume();
  for (const output of [stdout, stderr]) output?.resume();
  const outcome = await outcomeOf(run({ stdin, stdout, stderr, tty: streams.tty }, stop.signal));
  await Promise.all([ended(stdout), ended(stderr)]);
  await ended(error, JSON.stringify(outcome));
  await session.close();
}

const namesOf = ({ stdin, stdout, stderr, tty }: StreamsAsked): readonly string[] => [
  ...(stdin ? ["stdin"] : []),
  ...(stdout ? ["stdout"] : []),
  ...(stderr ? ["stderr"] : []),
  ...(tty ? ["resize"] : []),
];

/** Resolves when the last byte is on its way, or the stream is gone. */
const ended = (stream: Writable | undefined, last?: string): Promise<void> =>
  new Promise((resolve) => {
    if (stream === undefined || stream.destroyed || stream.writableEnded) return resolve();
    stream.once("close", () => resolve());
    stream.end(last, () => resolve());
  });

/** A Status as the kubelet abridges it. */
interface Outcome {
  readonly metadata: object;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code?: number;
}

/** The Status of a process's end, as the error stream carries it. Never rejects. */
async function outcomeOf(code: Promise<number>): Promise<Outcome> {
  try {
    const exit = await code;
    if (exit === 0) return { metadata: {}, status: "Success" };
    const message = `command terminated with non-zero exit code: exit status ${exit}`;
    const details = { causes: [{ reason: "ExitCode", message: String(exit) }] };
    return { metadata: {}, status: "Failure", message, reason: "NonZeroExitCode", details };
  } catch (error) {
    const message = `Internal error occurred: error executing command in container: ${messageOf(error)}`;
    const details = { causes: [{ message: messageOf(error) }] };
    return { metadata: {}, status: "Failure", message, reason: "InternalError", details, code: 500 };
  }
}

/** The first protocol: its error stream has the message of a failure alone. */
const plainProtocol = "channel.k8s.io";

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, closing: 255 } as const;
/** Limit on one message: clients send 32 KiB at a time. */
const maxMessageBytes = 4 * 1024 * 1024;

interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly signal: AbortSignal;
}

/** Undefined if the handshake is malformed or no protocol fits; the client has been told. */
export async function acceptedAs(
  { request, socket, head }: Handshake,
  known: readonly string[],
): Promise<WebSocket | undefined> {
  const { WebSocketServer } = await import("ws");
  const choose = (offered: Set<string>): string | false => known.find((name) => offered.has(name)) ?? false;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  if (choose(new Set(offered)) === false) {
    socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\nno protocol of the WebSocket is known\n");
    return undefined;
  }
  const handshake = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, handleProtocols: choose });
  return new Promise((resolve) => {
    handshake.once("wsClientError", ({ message }) => {
      socket.end(`HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n${message}\n`);
      resolve(undefined);
    });
    handshake.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on("error", () => {});
      resolve(accepted);
    });
  });
}

/** A stream into one channel of a WebSocket. */
export const channelWriter = (client: WebSocket, number: number): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      client.send(Buffer.concat([Buffer.of(number), chunk]), (error) => done(error));
    },
  }).on("error", () => {});

/** Puts the bytes into the stream; the client is not read while there is no room. */
export function take(client: WebSocket, into: PassThrough | Duplex, bytes: Buffer): void {
  if (!into.writable || into.write(bytes)) return;
  client.pause();
  void roomIn(into).then(() => client.resume());
}

/** Resolves when the WebSocket is closed. */
export async function webSocketProcess(handshake: Handshake, streams: StreamsAsked, run: Run): Promise<void> {
  const client = await acceptedAs(handshake, ["v5.channel.k8s.io", "v4.channel.k8s.io", plainProtocol]);
  if (client === undefined) return;
  using stop = linkedAbort(handshake.signal);
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  client.once("close", () => stop.abort(new Error("the client went away")));
  stop.signal.addEventListener("abort", () => client.terminate(), { once: true });
  const stdin = new PassThrough();
  client.on("message", (message: Buffer) => {
    const [kind, which] = message;
    if (kind === channel.stdin) take(client, stdin, message.subarray(1));
    else if (kind === channel.closing && which === channel.stdin) stdin.end();
  });
  // a first, empty message tells the client that the process is there
  client.send(Buffer.of(streams.stdout ? channel.stdout : streams.stderr ? channel.stderr : channel.error));
  const [stdout, stderr, error] = [channel.stdout, channel.stderr, channel.error].map((one) =>
    channelWriter(client, one),
  );
  const own = {
    ...(streams.stdin ? { stdin: stdin as Readable } : {}),
    ...(streams.stdout ? { stdout } : {}),
    ...(streams.stderr ? { stderr } : {}),
  };
  const outcome = await outcomeOf(run({ ...own, tty: streams.tty }, stop.signal));
  await Promise.all([ended(stdout), ended(stderr)]);
  await ended(error, client.protocol === plainProtocol ? outcome.message : JSON.stringify(outcome));
  client.close(1000);
  stdin.destroy();
  await closed;
}
