/** An HTTP/2 session of the client and, at the other end of a loopback connection, a peer that sends arbitrary frames. */
import { once } from "node:events";
import type { Http2Server } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type Clock, type Lifetime, systemClock } from "../../src/base/index.js";
import { type FrameHead, FrameReader, preface, settingsFrame } from "../../src/client/http2/frames.js";
import { Http2Session } from "../../src/client/http2/session.js";

export async function listening<S extends Server | Http2Server>(server: S, lifetime: Lifetime): Promise<S> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lifetime.defer(() => void server.close());
  return server;
}

export async function sessionTo(
  server: Server | Http2Server,
  lifetime: Lifetime,
  clock: Clock = systemClock,
): Promise<Http2Session> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  lifetime.defer(() => void socket.destroy());
  return new Http2Session({
    socket,
    origin: new URL("https://server.test:443"),
    material: undefined,
    clock,
    readIdleMs: 30_000,
    pingTimeoutMs: 15_000,
    onRetired: () => {},
    onFreed: () => {},
  });
}

export interface ScriptedPeer {
  /** The next frame of this type that the session has sent. */
  next(type: number): Promise<{ readonly head: FrameHead; readonly payload: Buffer }>;
  send(...frames: readonly Buffer[]): void;
  readonly socket: Socket;
}

/** A peer that sends the frames that the test tells it to; SETTINGS are exchanged first. */
export async function scriptedPeer(
  lifetime: Lifetime,
  settings: readonly (readonly [number, number])[] = [[3, 100]],
  clock: Clock = systemClock,
): Promise<{ readonly peer: ScriptedPeer; readonly session: Http2Session }> {
  const frames: { readonly head: FrameHead; readonly payload: Buffer }[] = [];
  let wake = (): void => {};
  const server = await listening(createServer(), lifetime);
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const session = await sessionTo(server, lifetime, clock);
  const [socket] = await accepted;
  socket.on("error", () => {});
  const take = (head: FrameHead, payload: Buffer): void => {
    frames.push({ head, payload });
    wake();
  };
  const reader = new FrameReader({ frame: take, data: take }, 2 ** 24);
  let greeting = preface.length;
  socket.on("data", (chunk) => {
    const skipped = Math.min(greeting, chunk.length);
    greeting -= skipped;
    reader.push(chunk.subarray(skipped));
  });
  const peer: ScriptedPeer = {
    socket,
    send: (...all) => void socket.write(Buffer.concat(all)),
    async next(type) {
      for (;;) {
        const at = frames.findIndex(({ head }) => head.type === type);
        if (at !== -1) return frames.splice(at, 1)[0] as (typeof frames)[number];
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  peer.send(settingsFrame(settings));
  await session.ready();
  return { peer, session };
}
