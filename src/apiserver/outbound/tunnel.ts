/** Carries bytes between a client's connection and a backend's, no faster than each side reads. */
import type { Duplex } from "node:stream";
import { type Clock, onAbort } from "../../base/index.js";
import type { Tunnel } from "../contracts/answer.js";

export interface TunnelOptions {
  readonly clock: Clock;
  /** Cuts both connections. */
  readonly signal: AbortSignal;
  /** Called once, when the backend's connection is closed. */
  ended(): void;
}

/** The time for the last bytes to go out after the other side has ended. */
const graceMs = 2_000;

/** As upstream, the end of either side is the end of both. The backend's connection is closed if no client comes. */
export function tunnelTo(backend: Duplex, { clock, signal, ended }: TunnelOptions): Tunnel {
  const cut = onAbort(signal, () => backend.destroy());
  backend.once("close", () => {
    cut[Symbol.dispose]();
    ended();
  });
  // a broken connection closes, too, and only its end matters
  backend.on("error", () => {});
  return async (client) => {
    client.on("error", () => {});
    const closed = Promise.all([closing(client), closing(backend)]);
    endTogether(clock, client, backend);
    endTogether(clock, backend, client);
    client.pipe(backend);
    backend.pipe(client);
    if (backend.destroyed) client.destroy();
    if (client.destroyed) backend.destroy();
    await closed;
  };
}

const closing = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once("close", () => resolve());
  });

/** When `one` has sent its last byte or is gone, `other` gets the bytes that are still to be written, and both are closed. */
function endTogether(clock: Clock, one: Duplex, other: Duplex): void {
  const end = (): void => {
    if (one.closed && other.closed) return;
    const timer = clock.timer(graceMs, () => {
      one.destroy();
      other.destroy();
    });
    other.once("close", () => {
      timer[Symbol.dispose]();
      one.destroy();
    });
    if (other.closed) timer[Symbol.dispose]();
    else other.end(() => other.destroy());
  };
  one.once("end", end);
  one.once("close", () => {
    if (!one.readableEnded) end();
  });
}
