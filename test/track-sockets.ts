/** Reports the sockets and servers of node:net, on which HTTP, HTTP/2, TLS and WebSockets stand, to the leak detector. */
import net from "node:net";
import { trackLeak } from "../src/base/index.js";

interface WithHandle {
  readonly _handle?: { hasRef?(): boolean } | null;
}

/** An idle keep-alive socket of a shared agent is unreferenced: it keeps nothing alive and is nobody's leak. */
const isReferenced = (socket: net.Socket): boolean =>
  !socket.destroyed && ((socket as WithHandle)._handle?.hasRef?.() ?? true);

export function trackSockets(): void {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const open = trackLeak(
      "socket",
      () => `to ${this.remoteAddress ?? "?"}:${this.remotePort ?? "?"}`,
      () => isReferenced(this),
    );
    this.once("close", () => open[Symbol.dispose]());
    return Reflect.apply(connect, this, args) as net.Socket;
  } as typeof connect;

  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]) {
    const open = trackLeak(
      "server",
      () => JSON.stringify(this.address()),
      () => this.listening,
    );
    this.once("close", () => open[Symbol.dispose]());
    return Reflect.apply(listen, this, args) as net.Server;
  } as typeof listen;
}
