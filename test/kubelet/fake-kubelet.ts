/** A kubelet of the test's own over real TLS: notes the requests, and answers as the test says. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { systemClock } from "../../src/base/index.js";

export interface FakeKubelet extends AsyncDisposable {
  readonly port: number;
  /** `METHOD path as NAME`, of all requests. */
  readonly requests: string[];
  /** The authority of the kubelet's certificate. */
  readonly authority: string;
}

export interface FakeAnswers {
  answer?(request: IncomingMessage, response: ServerResponse): void;
  /** Called for a request that switches protocols, after the request's head. */
  upgrade?(socket: Duplex, request: IncomingMessage): unknown;
}

export async function startFakeKubelet({ answer, upgrade }: FakeAnswers): Promise<FakeKubelet> {
  const own = createAuthority({ commonName: "kubelets", now: systemClock.now() });
  const { key, certificate } = own.issue({ commonName: "node", use: "server", hosts: ["127.0.0.1"] });
  const server = createServer({ key, cert: certificate, requestCert: true, rejectUnauthorized: false });
  const requests: string[] = [];
  const sockets = new Set<Duplex>();
  const note = ({ method, url, socket }: IncomingMessage): void => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    requests.push(`${method} ${url} as ${subject?.CN}`);
  };
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    note(request);
    answer?.(request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    note(request);
    socket.on("error", () => {});
    upgrade?.(socket, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    authority: own.certificate,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The answer to a request for SPDY. */
export const spdyAccepted = (protocol: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`;
