/**
 * The kubelet ports of simulated nodes: HTTPS on the loopback address, one port for each node, and one server behind all of
 * them. Only a client with a certificate of the given authority, or with a token that the API server knows, gets an answer.
 */
import { createServer, type Server as HttpsServer } from "node:https";
import { type AddressInfo, createServer as createListener, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { createAuthority } from "../../base/x509/certificate.js";
import type { PortContext } from "./context.js";
import { answer } from "./routes.js";
import { upgrade } from "./upgrade.js";

export interface KubeletPortOptions {
  /** The authority of the certificates with which API servers show themselves to kubelets, in PEM. */
  readonly clientAuthority: string;
  /** The address to listen on, 127.0.0.1 by default; nodes report it as their host name. */
  readonly address?: string;
}

const maxConnections = 1_000;
/** A connection without a request is closed after this time. */
const silenceMs = 60_000;

/**
 * Invariants:
 * 1. `#listeners` has the nodes whose port is open or being opened.
 * 2. `#nodes` has the open ports, and the node of each.
 * 3. Every connection is in `#sockets` until it is closed.
 */
export class KubeletPorts implements AsyncDisposable {
  readonly #context: PortContext;
  readonly #address: string;
  readonly #server: HttpsServer;
  readonly #listeners = new Map<string, Promise<Server | undefined>>();
  readonly #nodes = new Map<number, string>();
  readonly #sockets = new Set<Socket>();
  /** The limits of connections that have had no request. */
  readonly #silent = new WeakMap<object, Disposable>();
  readonly #stopping = new AbortController();

  constructor(context: PortContext, { clientAuthority, address = "127.0.0.1" }: KubeletPortOptions) {
    this.#context = context;
    this.#address = address;
    const now = context.clock.now();
    const hosts = [address, "localhost"];
    const own = createAuthority({ commonName: "coxswain-kubelet-ca", now });
    const lifeMs = 10 * 365 * 86_400_000;
    const { key, certificate } = own.issue({ commonName: "system:node:simulated", use: "server", hosts, now, lifeMs });
    const trust = { key, cert: certificate, ca: clientAuthority, requestCert: true, rejectUnauthorized: false };
    this.#server = createServer({ ...trust, maxHeaderSize: 64 * 1024 });
    this.#server.on("secureConnection", (socket) => this.#await(socket));
    this.#server.on("request", (request, response) => {
      const node = this.#nodes.get(request.socket.localPort ?? 0);
      this.#begun(request.socket);
      if (node === undefined) return void request.socket.destroy();
      const gone = new AbortController();
      response.once("close", () => gone.abort(new Error("the client went away")));
      const signal = AbortSignal.any([gone.signal, this.#stopping.signal]);
      void answer({ request, response, node, signal }, this.#context);
    });
    this.#server.on("upgrade", (request, socket, head) => {
      const node = this.#nodes.get(request.socket.localPort ?? 0);
      this.#begun(request.socket);
      if (node === undefined) return void request.socket.destroy();
      void upgrade({ request, socket, head, node, signal: this.#stopping.signal }, this.#context);
    });
    // a failed handshake closes its own connection
    this.#server.on("tlsClientError", () => {});
  }

  /** The host name that nodes with a port report. */
  get host(): string {
    return this.#address;
  }

  /** Opens the node's port, if it is not open; undefined if that is not possible, which is logged. */
  async open(node: string): Promise<number | undefined> {
    let opening = this.#listeners.get(node);
    if (opening === undefined) this.#listeners.set(node, (opening = this.#listen(node)));
    const listener = await opening;
    return (listener?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Closes the node's port; connections that are open go on. */
  async close(node: string): Promise<void> {
    const opening = this.#listeners.get(node);
    this.#listeners.delete(node);
    this.#context.work.forget(node);
    const listener = await opening;
    if (listener === undefined) return;
    const { port } = (listener.address() ?? {}) as Partial<AddressInfo>;
    if (port !== undefined) this.#nodes.delete(port);
    listener.close();
  }

  #await(socket: TLSSocket): void {
    this.#silent.set(
      socket,
      this.#context.clock.timer(silenceMs, () => socket.destroy()),
    );
    socket.once("close", () => this.#begun(socket));
  }

  #begun(socket: object): void {
    this.#silent.get(socket)?.[Symbol.dispose]();
    this.#silent.delete(socket);
  }

  readonly #onConnection = (socket: Socket): void => {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#sockets.size > maxConnections || this.#stopping.signal.aborted) return void socket.destroy();
    socket.setKeepAlive(true, 30_000);
    this.#server.emit("connection", socket);
  };

  /** A connection that cannot be accepted, for want of file descriptors, is lost; the port stays open. */
  readonly #onListenerError = (error: Error): void => {
    this.#context.log.warn("a kubelet port could not take a connection", { error });
  };

  #listen(node: string): Promise<Server | undefined> {
    const listener = createListener(this.#onConnection);
    return new Promise((resolve) => {
      const refused = (error: Error): void => {
        this.#context.log.warn("a node has no kubelet port: its pods have no logs", { node, error });
        resolve(undefined);
      };
      listener.once("error", refused);
      listener.listen(0, this.#address, () => {
        listener.off("error", refused);
        listener.on("error", this.#onListenerError);
        this.#nodes.set((listener.address() as AddressInfo).port, node);
        resolve(listener);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error("the kubelet is stopping"));
    const listeners = await Promise.all(this.#listeners.values());
    this.#listeners.clear();
    const closing = listeners.map(
      (listener) =>
        new Promise<void>((resolve) => {
          if (listener === undefined) resolve();
          else listener.close(() => resolve());
        }),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closing);
  }
}
