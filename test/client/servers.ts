/** Small servers on loopback that misbehave on demand. */
import { once } from "node:events";
import { createServer as createHttp, type RequestListener, type Server as HttpServer } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, createServer as createTcp, type Socket } from "node:net";
import { createAuthority, type CertificateAuthority } from "../../src/base/x509/certificate.js";
import { Lifetime, systemClock } from "../../src/base/index.js";

export const authority: CertificateAuthority = createAuthority({ commonName: "test-ca", now: systemClock.now() });

export interface Serving extends AsyncDisposable {
  readonly url: string;
  /** All accepted connections, and the number of open ones. */
  readonly accepted: readonly Socket[];
  open(): number;
}

export type Answer = (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void;

export interface H2Options {
  readonly authority?: CertificateAuthority;
  readonly hosts?: readonly string[];
  readonly maxConcurrentStreams?: number;
  /** Asks for a client certificate and checks it. */
  readonly mutual?: boolean;
}

export interface H2Serving extends Serving {
  readonly sessions: ServerHttp2Session[];
  readonly server: Http2SecureServer;
}

export async function serveH2(answer: Answer, options: H2Options = {}): Promise<H2Serving> {
  const ca = options.authority ?? authority;
  const { key, certificate } = ca.issue({ commonName: "server", use: "server", hosts: options.hosts ?? ["127.0.0.1"] });
  const server = createSecureServer({
    key,
    cert: certificate,
    settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 100 },
    ...(options.mutual === true ? { requestCert: true, rejectUnauthorized: true, ca: [ca.certificate] } : {}),
  });
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => {});
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    answer(stream, headers);
  });
  const serving = await listening(server, "https");
  return { ...serving, sessions, server };
}

export async function serveH1(
  handle: RequestListener,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<Serving & { readonly server: HttpServer }> {
  const { key, certificate } = authority.issue({ commonName: "server", use: "server", hosts: ["127.0.0.1"] });
  const server = tls ? createHttps({ key, cert: certificate }, handle) : createHttp(handle);
  return { ...(await listening(server, tls ? "https" : "http")), server };
}

export interface Relay extends Serving {
  /** From now on nothing passes in either direction, but connections stay open: a cable that was cut. */
  cut(): void;
}

/** Passes bytes on to another server. */
export async function relayTo(url: string): Promise<Relay> {
  const { hostname, port } = new URL(url);
  let isCut = false;
  const server = createTcp((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (bytes) => void (isCut || to.write(bytes)));
      from.on("close", () => void to.destroy());
      from.on("error", () => {});
    }
  });
  const serving = await listening(server, "https");
  return { ...serving, cut: () => void (isCut = true) };
}

export interface Proxying extends Serving {
  /** The request lines and headers of each CONNECT. */
  readonly asked: string[];
}

/** An HTTP proxy that knows CONNECT only. */
export async function serveProxy(
  verdict: (head: string) => string = () => "200 Connection established",
): Promise<Proxying> {
  const asked: string[] = [];
  const server = createTcp((near) => {
    near.on("error", () => {});
    near.once("data", (bytes) => {
      const head = bytes.toString("latin1");
      asked.push(head);
      const line = verdict(head);
      const [, host = "", port = ""] = /^CONNECT ([^:]+):(\d+) /.exec(head) ?? [];
      if (!line.startsWith("200")) return void near.end(`HTTP/1.1 ${line}\r\n\r\n`);
      tunnel(near, host, Number(port), `HTTP/1.1 ${line}\r\n\r\n`);
    });
  });
  return { ...(await listening(server, "http")), asked };
}

/** SOCKS 5 without login, for names and addresses given as text. */
export async function serveSocks(): Promise<Proxying> {
  const asked: string[] = [];
  const server = createTcp((near) => {
    near.on("error", () => {});
    near.once("data", () => {
      near.write(Buffer.from([5, 0]));
      near.once("data", (request) => {
        const length = request[4] ?? 0;
        const host = request.subarray(5, 5 + length).toString();
        const port = request.readUInt16BE(5 + length);
        asked.push(`${host}:${port}`);
        tunnel(near, host, port, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      });
    });
  });
  return { ...(await listening(server, "socks5")), asked };
}

function tunnel(near: Socket, host: string, port: number, greeting: string | Buffer): void {
  const far = connect(port, host, () => {
    near.write(greeting);
    near.pipe(far);
    far.pipe(near);
  });
  far.on("error", () => near.destroy());
  far.on("close", () => near.destroy());
  near.on("close", () => far.destroy());
}

type AnyServer = HttpServer | Http2SecureServer | ReturnType<typeof createTcp>;

async function listening(server: AnyServer, scheme: string): Promise<Serving> {
  const accepted: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    accepted.push(socket);
    socket.on("error", () => {});
  });
  server.on("error", () => {});
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const lifetime = new Lifetime();
  lifetime.defer(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of accepted) socket.destroy();
    await closed;
  });
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    open: () => accepted.filter((socket) => !socket.destroyed).length,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

export function json(stream: ServerHttp2Stream, body: object, status = 200, headers: object = {}): void {
  stream.respond({ ":status": status, "content-type": "application/json", ...headers });
  stream.end(JSON.stringify(body));
}

export const emptyList: object = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [] };

export const pod = (name: string): object => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name, namespace: "default" },
});

export function failure(code: number, reason: string, message = reason): object {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}
