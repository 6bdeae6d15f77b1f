/** The transports that bench/http.ts compares: ours, and the least that node:http, node:http2 and undici need to stand in its place. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { Agent, type OutgoingHttpHeaders, request as requestPlain } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import { createRequire } from "node:module";
import { join, resolve as absolute } from "node:path";
import type { Readable } from "node:stream";
import type { HttpHeaders, Transport } from "../../src/base/index.js";
import { BodyQueue } from "../../src/client/transport/body-queue.js";
import { type HttpTransport, httpTransport } from "../../src/client/http-transport.js";

export interface Target {
  readonly server: URL;
  readonly ca: string;
}

export interface Peers extends AsyncDisposable {
  readonly transports: ReadonlyMap<string, Transport>;
}

export function peersOf(target: Target, undici: Undici | undefined): Peers {
  const { server, ca } = target;
  const ours = oursOf(target, { http1: true });
  const agent =
    server.protocol === "https:" ? new SecureAgent({ ca, keepAlive: true }) : new Agent({ keepAlive: true });
  const dispatcher = undici && new undici.Agent({ connect: { ca } });
  const transports = new Map([
    ["ours", ours.send],
    ["node:http", nodeTransport(server, agent)],
  ]);
  if (dispatcher !== undefined) transports.set("undici", undiciTransport(server, dispatcher));
  return {
    transports,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await dispatcher?.close();
      await ours[Symbol.asyncDispose]();
    },
  };
}

export function http2PeersOf(target: Target): Peers {
  const ours = oursOf(target, { http1: false });
  // the windows that ours gives: with the usual ones a long list waits for the server at every 64 KB
  const session = connect(target.server, { ca: target.ca, settings: { initialWindowSize: 4 * 1024 * 1024 } });
  session.once("connect", () => session.setLocalWindowSize(32 * 1024 * 1024));
  return {
    transports: new Map([
      ["ours", ours.send],
      ["node:http2", http2Transport(session)],
    ]),
    async [Symbol.asyncDispose]() {
      session.destroy();
      await ours[Symbol.asyncDispose]();
    },
  };
}

function oursOf({ server, ca }: Target, { http1 }: { readonly http1: boolean }): HttpTransport {
  const material = { ca };
  return httpTransport({ server, http1, compression: false, tls: async () => material });
}

function http2Transport(session: ClientHttp2Session): Transport {
  return ({ method, path, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const asked = { ":method": method, ":path": path, ...(headers as OutgoingHttpHeaders) };
      const stream = session.request(asked, { endStream: body === undefined, signal });
      stream.on("response", ({ ":status": status = 0, ...answered }) => {
        const give = (bytes: BodyQueue | Buffer): void =>
          resolve({ status, headers: answered as HttpHeaders, body: bytes });
        if (answered["content-length"] === undefined) give(queueOf(stream));
        else collect(stream, give);
      });
      stream.on("error", reject);
      if (body !== undefined) stream.end(body);
    });
}

/** Nothing of what a transport must do when something goes wrong: limits, hostile headers, why and whether to try again. */
function nodeTransport(server: URL, agent: Agent): Transport {
  const ask = server.protocol === "https:" ? requestSecure : requestPlain;
  const to = { agent, host: server.hostname, port: server.port };
  return ({ method, path, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const request = ask({ ...to, method, path, headers: headers as OutgoingHttpHeaders, signal }, (response) => {
        const length = response.headers["content-length"];
        const { statusCode: status = 0, headers: answered } = response;
        const give = (bytes: BodyQueue | Buffer): void =>
          resolve({ status, headers: answered as HttpHeaders, body: bytes });
        if (length === undefined) give(queueOf(response));
        else collect(response, give);
      });
      request.on("error", reject);
      request.end(body);
    });
}

function collect(response: Readable, give: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.on("end", () => give(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

/** Cheaper to read than the response as an iterable. */
function queueOf(response: Readable): BodyQueue {
  const queue = new BodyQueue({
    pause: () => response.pause(),
    resume: () => response.resume(),
    cancel: () => response.destroy(),
  });
  response.on("data", (chunk: Buffer) => queue.push(chunk));
  response.on("error", (error) => queue.fail(error));
  response.on("end", () => queue.end());
  return queue;
}

interface Dispatcher {
  request(options: object): Promise<{
    readonly statusCode: number;
    readonly headers: HttpHeaders;
    readonly body: AsyncIterable<Uint8Array> & { bytes(): Promise<Uint8Array> };
  }>;
  close(): Promise<void>;
}

export interface Undici {
  readonly Agent: new (options: object) => Dispatcher;
}

function undiciTransport({ origin }: URL, dispatcher: Dispatcher): Transport {
  return async ({ method, path, headers, body }, signal) => {
    const answer = await dispatcher.request({ origin, method, path, headers, body, signal });
    const isWhole = answer.headers["content-length"] !== undefined;
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isWhole ? await answer.body.bytes() : answer.body,
    };
  };
}

/** Installed on demand; undefined where that is not possible. */
export function loadUndici(log: (message: string) => void): Undici | undefined {
  const folder = absolute(".cache", "bench", "undici-7");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules", "undici"))) {
    const args = ["install", "--no-save", "--no-package-lock", "--prefix", folder, "undici@7.16.0"];
    const installed = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
    if (installed.status !== 0) {
      log(`no comparison with undici: ${installed.error?.message ?? installed.stderr}`);
      return undefined;
    }
  }
  return createRequire(join(folder, "package.json"))("undici") as Undici;
}
