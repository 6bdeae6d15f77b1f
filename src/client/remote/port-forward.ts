/** Connections into a pod, and local ports that lead there. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { asError, type Closable, closable, Lifetime, linkedAbort } from "../../base/index.js";
import { ConnectionError } from "../failure.js";
import type { OpenChannel } from "./web-socket.js";

/** One connection to a port of the pod. */
export interface ForwardedConnection extends Closable {
  readonly incoming: AsyncIterable<Uint8Array>;
  write(data: Uint8Array): Promise<void>;
}

export interface ForwardRequest {
  readonly open: OpenChannel;
  /** For one port. */
  readonly path: string;
  readonly title: string;
  readonly signal?: AbortSignal | undefined;
}

/** A local port whose connections end in the pod. */
export interface PortForward extends Closable {
  readonly address: string;
  readonly port: number;
}

const dataChannel = 0;
const errorChannel = 1;
/** Limit on the kept characters of the server's reason why it cannot forward. */
const maxComplaint = 4096;

export async function forwardConnection({ open, path, title, signal }: ForwardRequest): Promise<ForwardedConnection> {
  const abort = linkedAbort(signal);
  const channel = await open({ path, protocols: ["v4.channel.k8s.io"], title }, abort.signal);
  async function* incoming(): AsyncGenerator<Uint8Array, void, undefined> {
    const greeted = new Set<number>();
    let complaint = "";
    for await (const message of channel.messages) {
      const kind = message[0] ?? 0;
      // the first message of each channel only names the port
      if (!greeted.has(kind)) greeted.add(kind);
      else if (kind === dataChannel) yield message.subarray(1);
      else if (kind === errorChannel && complaint.length < maxComplaint) {
        complaint += Buffer.from(message.subarray(1, maxComplaint)).toString("utf8");
      }
    }
    if (complaint !== "") throw new ConnectionError("refused", `${title}: ${complaint.trim()}`);
  }
  return {
    incoming: incoming(),
    write: (data) => channel.send(Buffer.concat([Buffer.from([dataChannel]), data])),
    ...closable(async () => {
      await channel.close();
      abort[Symbol.dispose]();
    }),
  };
}

export interface ListenRequest {
  /** 0 for any free port. */
  readonly localPort: number;
  readonly address: string;
  /** Called for each local connection. */
  connect(): Promise<ForwardedConnection>;
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Disposing closes the port and all its connections. */
export async function listenLocally({ localPort, address, connect, onError }: ListenRequest): Promise<PortForward> {
  const { createServer } = await import("node:net");
  const lifetime = new Lifetime();
  const running = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const passing = pass(socket, connect)
      .catch((error: unknown) => onError?.(asError(error)))
      .finally(() => {
        socket.destroy();
        sockets.delete(socket);
        running.delete(passing);
      });
    running.add(passing);
  });
  server.listen(localPort, address);
  await once(server, "listening");
  lifetime.defer(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all(running);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : localPort;
  return { address, port, ...closable(() => lifetime.close()) };
}

async function pass(socket: Socket, connect: () => Promise<ForwardedConnection>): Promise<void> {
  socket.on("error", () => {});
  await using connection = await connect();
  const gone = once(socket, "close");
  const outward = (async () => {
    for await (const chunk of socket) await connection.write(chunk as Uint8Array);
  })();
  const inward = (async () => {
    for await (const chunk of connection.incoming) {
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), gone]);
      if (socket.destroyed) return;
    }
    socket.end();
  })();
  await Promise.race([Promise.all([outward, inward]), inward, gone]);
  // pending copies end with the connection
  outward.catch(() => {});
  inward.catch(() => {});
}
