/** A small extension API server over TLS, which does as its resource's name says and remembers the requests. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { systemClock } from "../../src/base/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";

export const group = "wardle.test";
export const root = `/apis/${group}/v1`;

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The common name of the client's certificate. */
  readonly certificate: string | undefined;
}

export interface ExtensionServer extends AsyncDisposable {
  readonly port: number;
  /** Base64 of the authority's certificate. */
  readonly caBundle: string;
  readonly seen: readonly Seen[];
  /** The number of watches and tunnels that are open. */
  readonly open: number;
  /** Sends a line to each open watch. */
  say(line: string): void;
}

const entry = (plural: string, kind: string): object => ({
  resource: plural,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get", "list", "create", "watch"],
});

/** The documents of a well-behaved server; a test may replace some, by path. */
export const documents: Readonly<Record<string, object>> = {
  "/apis": {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [
      { metadata: { name: group }, versions: [{ version: "v1", resources: [entry("flunders", "Flunder")] }] },
      { metadata: { name: "apps" }, versions: [{ version: "v1", resources: [entry("intruders", "Intruder")] }] },
    ],
  },
  [root]: {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${group}/v1`,
    resources: [{ name: "flunders", singularName: "flunder", namespaced: true, kind: "Flunder", verbs: ["get"] }],
  },
  "/openapi/v3": {
    paths: {
      [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=ABC123` },
    },
  },
  [`/openapi/v3/apis/${group}/v1`]: { openapi: "3.0.0", info: { title: "of the extension" }, paths: {} },
  "/openapi/v2": {
    swagger: "2.0",
    info: { title: "extension", version: "1" },
    paths: {
      [`${root}/flunders`]: {
        get: {
          responses: { "200": { description: "OK", schema: { $ref: "#/definitions/test.wardle.v1.Flunder" } } },
        },
      },
      "/apis/apps/v1/deployments": { get: { responses: { "200": { description: "intruding" } } } },
    },
    definitions: {
      "test.wardle.v1.Flunder": {
        type: "object",
        properties: { metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" } },
        "x-kubernetes-group-version-kind": [{ group, version: "v1", kind: "Flunder" }],
      },
      "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object", description: "another one" },
      "test.wardle.v1.Unused": { type: "object" },
    },
  },
};

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Takes the place of an answer: a document, bytes, or anything that writes to the response. */
export type Answers = Readonly<Record<string, object | ((response: ServerResponse) => void)>>;

export async function startExtensionServer(answers: Answers = {}): Promise<ExtensionServer> {
  const authority = createAuthority({ commonName: "extension-ca", now: systemClock.now() });
  const hosts = ["api.extension.svc", "localhost", "127.0.0.1"];
  const { key, certificate } = authority.issue({ commonName: "extension", use: "server", hosts });
  const seen: Seen[] = [];
  const watches = new Set<ServerResponse>();
  const tunnels = new Set<Duplex>();
  const remember = (request: IncomingMessage): void => {
    const { CN } = ((request.socket as TLSSocket).getPeerCertificate()?.subject ?? {}) as { readonly CN?: string };
    const headers: Record<string, unknown> = {};
    for (const [name, values] of Object.entries(request.headersDistinct)) headers[name] = values;
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers, certificate: CN });
  };
  const options = { key, cert: certificate, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => {
    remember(request);
    const { pathname } = new URL(request.url ?? "/", "https://x");
    const given = answers[pathname] ?? documents[pathname];
    if (typeof given === "function") return void given(response);
    if (given !== undefined) {
      const accept = String(request.headers.accept ?? "");
      const type = pathname === "/apis" && accept.includes("apidiscovery") ? aggregatedType : "application/json";
      response.writeHead(200, { "content-type": type }).end(JSON.stringify(given));
      return;
    }
    behave(pathname.split("/").at(-1) ?? "", request, response, watches);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    remember(request);
    switchOver(request, socket, head);
    tunnels.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => tunnels.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    seen,
    get open() {
      return watches.size + tunnels.size;
    },
    say: (line) => {
      for (const response of watches) response.write(`${line}\n`);
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      for (const socket of tunnels) socket.destroy();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** More than fits into all buffers on the way. */
export const largeMebibytes = 8;
const mebibyte: Buffer = Buffer.alloc(1024 * 1024, "x");

function behave(name: string, request: IncomingMessage, response: ServerResponse, watches: Set<ServerResponse>): void {
  const chunks: Buffer[] = [];
  if (name === "measure") return measure(request, response);
  if (name === "unread") return void response.writeHead(413).end("too much");
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const query = new URL(request.url ?? "/", "https://x").searchParams;
    if (query.get("watch") === "true") {
      watches.add(response);
      response.on("close", () => watches.delete(response));
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      return;
    }
    if (name === "redirect") return void response.writeHead(302, { location: "https://elsewhere.test/" }).end();
    if (name === "refuse") {
      const headers = {
        "content-type": "application/json",
        "x-of-the-extension": "1",
        "access-control-allow-origin": "*",
      };
      return void response.writeHead(418, headers).end('{"kind":"Status","code":418}');
    }
    if (name === "cut") {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" });
      response.write("half", () => response.socket?.destroy());
      return;
    }
    if (name === "large") return sendLarge(response, largeMebibytes);
    if (name === "empty") return void response.writeHead(204).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString() }));
  });
}

/** Answers with the size of the body so far, each time some of it has come. */
export function measure(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
  let size = 0;
  request.on("data", (chunk: Buffer) => response.write(`${(size += chunk.length)}\n`));
  request.on("end", () => response.end(`${size} in all\n`));
  request.on("error", () => {});
}

function sendLarge(response: ServerResponse, mebibytes: number): void {
  response.writeHead(200, { "content-type": "text/plain" });
  let left = mebibytes;
  const send = (): void => {
    while (left-- > 0) if (!response.write(mebibyte)) return void response.once("drain", send);
    response.end();
  };
  send();
}

/** `tunnel` echoes in upper case until the client ends; `forbidden` and `plain` do not switch. */
function switchOver(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const name = (request.url ?? "").split("?")[0]?.split("/").at(-1);
  if (name === "forbidden") return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
  if (name === "plain") return void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shouting/1\r\n\r\nHELLO ");
  const shout = (bytes: Buffer): void => {
    const text = bytes.toString();
    if (text.includes("bye")) socket.end("BYE");
    else socket.write(text.toUpperCase());
  };
  if (head.length > 0) shout(head);
  socket.on("data", shout);
}
