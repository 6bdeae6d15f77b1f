/** Reports the sockets and servers of node:net, on which HTTP, HTTP/2, TLS and WebSockets stand, to the leak detector. */
import net from "node:net";
import { trackLeak } from "../src/base/index.js";

/** Idle keep-alive sockets of a shared agent are unreferenced: they keep nothing alive and are no leak. */
const unreferenced = new WeakSet<net.Socket>();

export function trackSockets(): void {
  trackReferences();
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const describe = (): string => `to ${this.remoteAddress ?? "?"}:${this.remotePort ?? "?"}`;
    const open = trackLeak("socket", describe, () => !this.destroyed && !unreferenced.has(this));
    this.once("close", () => open[Symbol.dispose]());
    return Reflect.apply(connect, this, args) as net.Socket;
  } as typeof connect;

  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]) {
    const describe = (): string => JSON.stringify(this.address());
    const open = trackLeak("server", describe, () => this.listening);
    this.once("close", () => open[Symbol.dispose]());
    return Reflect.apply(listen, this, args) as net.Server;
  } as typeof listen;
}

/** A socket does not tell whether it is referenced (a TLS socket cannot), so calls of `ref` and `unref` are recorded. */
function trackReferences(): void {
  const { ref, unref } = net.Socket.prototype;
  net.Socket.prototype.ref = function (this: net.Socket) {
    unreferenced.delete(this);
    return Reflect.apply(ref, this, []) as net.Socket;
  } as typeof ref;
  net.Socket.prototype.unref = function (this: net.Socket) {
    unreferenced.add(this);
    return Reflect.apply(unref, this, []) as net.Socket;
  } as typeof unref;
}
