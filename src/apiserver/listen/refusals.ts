/** Answers bytes that are not a request, or too long a request, before they become an exchange. */
import type { Socket } from "node:net";
import { endSoon } from "./connections.js";

const refusals: ReadonlyMap<string, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "413 Request Entity Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
]);

/**
 * The parser's errors have this prefix. After any other error, such as a handshake that took too long, the client is
 * not to blame.
 */
const parserPrefix = "HPE_";

/** The fault of a request that names its host twice, as a parser would give it. */
export const twoHosts = (): Error & { readonly code: string } =>
  Object.assign(new Error("more than one Host header"), { code: `${parserPrefix}TWO_HOSTS` });

/** The status line of the answer; undefined if there is none to give. */
function lineFor(code: string): string | undefined {
  return refusals.get(code) ?? (code.startsWith(parserPrefix) ? "400 Bad Request" : undefined);
}

/** A refused connection is still read for a while, up to this many bytes, which are dropped. */
const lingerBytes = 1024 * 1024;

/** Remembers the connections with an answer under way: a second answer in between would corrupt it. */
export class Refusals {
  readonly #answering = new WeakSet<object>();
  /** The bytes that had been read of each connection when it was refused. */
  readonly #refused = new WeakMap<Socket, number>();

  answering(socket: object, response: NodeJS.EventEmitter): void {
    this.#answering.add(socket);
    response.once("close", () => this.#answering.delete(socket));
  }

  /** Called for each piece that cannot be parsed. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void {
    const before = this.#refused.get(socket);
    if (before !== undefined) {
      if (socket.bytesRead - before > lingerBytes) socket.destroy();
      return;
    }
    const line = lineFor(error.code ?? "");
    if (line === undefined || !socket.writable || this.#answering.has(socket)) {
      socket.destroy();
      return;
    }
    this.#refused.set(socket, socket.bytesRead);
    const headers = "content-type: text/plain; charset=utf-8\r\nconnection: close";
    // a client that is still writing when the connection closes cannot read the answer
    endSoon(socket);
    socket.end(`HTTP/1.1 ${line}\r\n${headers}\r\n\r\n${line}`);
  }
}
