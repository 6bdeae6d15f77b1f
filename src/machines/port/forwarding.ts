/** Forwards connections to the ports of simulated pods, over SPDY (a pair of streams for each) or a WebSocket. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Pod } from "../../api/index.js";
import type { Clock } from "../../base/index.js";
import type { SpdyStream } from "../../base/spdy/session.js";
import { type Accepted, acceptedAs, channelWriter, take } from "./channels.js";
import type { PodPorts } from "./pod-ports.js";

interface Forwarding {
  readonly pod: Pod;
  readonly podPorts: PodPorts;
}

const refusal = ({ metadata }: Pod, port: string): string =>
  `error forwarding port ${port} to pod ${metadata.name}, uid ${metadata.uid}: ` +
  `failed to connect to localhost:${port} inside namespace: dial tcp4 127.0.0.1:${port}: connect: connection refused`;

/** The time in which both streams of a connection must come. */
const pairMs = 30_000;

interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
  readonly limit: Disposable;
}

/** Resolves when the connection is closed. */
export async function forwardOverSpdy(
  { session, onStream }: Accepted,
  { pod, podPorts, clock }: Forwarding & { readonly clock: Clock },
): Promise<void> {
  const pairs = new Map<string, Pair>();
  onStream((stream) => {
    const type = stream.headers.get("streamtype");
    if (type !== "data" && type !== "error") return void stream.destroy();
    // a client without request ids opens the error stream first
    const id = stream.headers.get("requestid") ?? String(type === "error" ? stream.id : stream.id - 2);
    const late = (): void => {
      const { data, error, limit } = pairs.get(id) ?? {};
      pairs.delete(id);
      limit?.[Symbol.dispose]();
      data?.destroy();
      error?.destroy();
    };
    const pair: Pair = pairs.get(id) ?? { limit: clock.timer(pairMs, late) };
    pairs.set(id, pair);
    if (pair[type] !== undefined) return void stream.destroy();
    pair[type] = stream;
    // a client may cancel any number of streams before they are pairs
    stream.once("close", () => {
      if (pairs.get(id) === pair) late();
    });
    const { data, error, limit } = pair;
    if (data === undefined || error === undefined) return;
    limit[Symbol.dispose]();
    pairs.delete(id);
    error.resume();
    join(data, error, { pod, podPorts });
  });
  await session.done;
  for (const { limit } of pairs.values()) limit[Symbol.dispose]();
}

function join(data: SpdyStream, error: SpdyStream, { pod, podPorts }: Forwarding): void {
  const port = data.headers.get("port") ?? "";
  const connection = podPorts.connect(pod, Number(port));
  if (connection === undefined) {
    error.end(refusal(pod, port));
    data.resume();
    data.end();
    return;
  }
  data.pipe(connection).pipe(data);
  data.once("close", () => connection.destroy());
  data.once("finish", () => error.end());
  connection.once("close", () => data.end());
}

interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly signal: AbortSignal;
}

const maxPorts = 100;

/** Resolves when the WebSocket is closed. Each port has two channels, which begin with the port's number. */
export async function forwardOverWebSocket(
  handshake: Handshake,
  { pod, podPorts, ports: text }: Forwarding & { readonly ports: string },
): Promise<void> {
  const ports = text.split(",").filter((one) => /^\d{1,5}$/.test(one) && Number(one) > 0 && Number(one) < 65_536);
  if (ports.length === 0 || ports.length > maxPorts) {
    const why = `query parameter "port" is required, and has at most ${maxPorts} ports`;
    handshake.socket.end(`HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n${why}\n`);
    return;
  }
  const client = await acceptedAs(handshake, ["v4.channel.k8s.io"]);
  if (client === undefined) return;
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  const stop = (): void => client.terminate();
  handshake.signal.addEventListener("abort", stop, { once: true });
  const connections = ports.map((port, index) => {
    const [data, error] = [channelWriter(client, 2 * index), channelWriter(client, 2 * index + 1)];
    const name = Buffer.alloc(2);
    name.writeUInt16LE(Number(port));
    data.write(name);
    error.write(name);
    const connection = podPorts.connect(pod, Number(port));
    if (connection === undefined) error.write(refusal(pod, port), () => client.close(1000));
    else connection.pipe(data).once("finish", () => client.close(1000));
    connection?.once("close", () => client.close(1000));
    return connection;
  });
  client.on("message", (message: Buffer) => {
    const kind = message[0] ?? 1;
    const connection = kind % 2 === 0 ? connections[kind / 2] : undefined;
    if (connection !== undefined) take(client, connection, message.subarray(1));
  });
  await closed;
  handshake.signal.removeEventListener("abort", stop);
  for (const connection of connections) connection?.destroy();
}
