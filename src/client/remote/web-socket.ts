/** A WebSocket (RFC 6455) to the API server, over a connection of the transport. */
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { isUnauthorized } from "../../api/errors/status-guards.js";
import { abortable, abortReason, type Closable, closable, type HttpHeaders, onAbort } from "../../base/index.js";
import type { Credentials } from "../config/credentials.js";
import { ConnectionError, messageOf, refusedCall, statusOfAnswer } from "../failure.js";
import { BodyQueue } from "../transport/body-queue.js";
import type { Dialled } from "../transport/dial.js";

/** Messages both ways. A caller that stops reading early must dispose it. */
export interface Channel extends Closable {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the message has left; await it to hold back a fast sender. */
  send(message: Uint8Array): Promise<void>;
}

export interface ChannelRequest {
  /** Path with query. */
  readonly path: string;
  readonly protocols: readonly string[];
  /** `exec pods default/web`, for messages. */
  readonly title: string;
}

export type OpenChannel = (request: ChannelRequest, signal: AbortSignal) => Promise<Channel>;

export interface ChannelOptions {
  readonly server: URL;
  dial(signal: AbortSignal): Promise<Dialled>;
  readonly credentials: Credentials;
  /** Called when a refusal led to newer credentials, before they are used. */
  onRefreshed(): Promise<void>;
}

/** As for other requests, a 401 is repeated once if there are newer credentials. */
export function channelOpener(options: ChannelOptions): OpenChannel {
  const { credentials, onRefreshed } = options;
  return async (request, signal) => {
    const identity = await abortable(Promise.resolve(credentials.headers()), signal);
    try {
      return await openChannel(options, { request, identity, signal });
    } catch (error) {
      if (!isUnauthorized(error) || !(await abortable(credentials.refresh(identity), signal))) throw error;
    }
    await onRefreshed();
    return openChannel(options, { request, identity: await credentials.headers(), signal });
  };
}

/** Limit on one message, all its fragments together (RFC 6455, section 10.4): servers send 32 KiB at a time. */
const maxMessageBytes = 4 * 1024 * 1024;
/** Limit on the pongs that wait for a server that sends pings and does not read (section 5.5.2 requires one for each). */
const maxPongBytes = 1024 * 1024;
/** Limit on the body of a refusal. */
const maxRefusalBytes = 1024 * 1024;

interface Opening {
  readonly request: ChannelRequest;
  readonly identity: HttpHeaders;
  readonly signal: AbortSignal;
}

async function openChannel({ server, dial }: ChannelOptions, { request, identity, signal }: Opening): Promise<Channel> {
  const { path, protocols, title } = request;
  // loaded at the first use: most programs never need it
  const { WebSocket: Socket } = await import("ws");
  const { socket } = await dial(signal);
  const url = `ws://${server.host}${server.pathname.replace(/(?<!\/)\/+$/, "")}${path}`;
  const opening = new Socket(url, [...protocols], {
    // already connected, and secured if it must be
    createConnection: () => socket,
    headers: identity as Record<string, string | string[]>,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    autoPong: false,
  });
  opening.on("ping", (data: Buffer) => {
    if (opening.bufferedAmount <= maxPongBytes) return opening.pong(data);
    opening.emit("error", new Error(`the server does not read ${maxPongBytes} bytes of answers to its pings`));
    opening.terminate();
  });
  try {
    await opened(opening, title, signal);
  } catch (error) {
    opening.on("error", () => {});
    opening.terminate();
    socket.destroy();
    throw error;
  }
  return channelOf(opening, signal);
}

function opened(socket: WebSocket, title: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborting = onAbort(signal, (reason) => queueMicrotask(() => settle(reason)));
    const settle = (error?: Error): void => {
      aborting[Symbol.dispose]();
      socket.off("open", done).off("error", failed).off("unexpected-response", refused);
      if (error === undefined) resolve();
      else reject(error);
    };
    const done = (): void => settle();
    const failed = (error: Error): void =>
      settle(new ConnectionError("closed", `${title}: ${messageOf(error)}`, { cause: error }));
    const refused = (_request: unknown, response: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxRefusalBytes) response.destroy();
        else chunks.push(chunk);
      });
      response.on("error", () => {});
      response.on("close", () => {
        const contentType = response.headers["content-type"];
        const answer = { code: response.statusCode ?? 0, method: "GET", body: Buffer.concat(chunks), contentType };
        settle(refusedCall(title, statusOfAnswer(answer)));
      });
    };
    socket.on("open", done).on("error", failed).on("unexpected-response", refused);
  });
}

function channelOf(socket: WebSocket, signal: AbortSignal): Channel {
  const queue = new BodyQueue(
    { pause: () => socket.pause(), resume: () => socket.resume(), cancel: () => socket.terminate() },
    { isMessages: true },
  );
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const aborting = onAbort(signal, (reason) => {
    queue.fail(reason, { dropRest: true });
    socket.terminate();
  });
  socket.on("message", (message: Buffer) => queue.push(message));
  socket.on("error", (error) => queue.fail(new ConnectionError("closed", messageOf(error), { cause: error })));
  socket.once("close", (code) => {
    aborting[Symbol.dispose]();
    if (code === 1000 || code === 1005) queue.end();
    else queue.fail(new ConnectionError("closed", `the server closed the WebSocket with code ${code}`));
  });
  return {
    protocol: socket.protocol,
    messages: queue,
    send: (message) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(abortReason(signal));
        socket.send(message, (error) => {
          if (error) reject(new ConnectionError("closed", messageOf(error), { cause: error }));
          else resolve();
        });
      }),
    ...closable(async () => {
      socket.close(1000);
      // does not wait for a server that does not answer the close
      socket.terminate();
      await closed;
    }),
  };
}
