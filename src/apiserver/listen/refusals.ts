/** Answers bytes that are no request, or too long a one, before they could become an exchange. Used by the listener. */
import type { Socket } from "node:net";
import { endSoon } from "./connections.js";

const refusals: ReadonlyMap<string, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "413 Request Entity Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
]);

/** A connection that was refused is still read, and what comes dropped, for a while and up to this much. */
const lingerBytes = 1024 * 1024;

/** Remembers which connections are being answered: another answer in between would be taken for a part of it. */
export class Refusals {
  readonly #answering = new WeakSet<object>();
  /** How much had been read of a connection when it was refused. */
  readonly #refused = new WeakMap<Socket, number>();

  answering(socket: object, response: NodeJS.EventEmitter): void {
    this.#answering.add(socket);
    response.once("close", () => this.#answering.delete(socket));
  }

  /** Called for each piece that cannot be read. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void {
    const before = this.#refused.get(socket);
    if (before !== undefined) {
      if (socket.bytesRead - before > lingerBytes) socket.destroy();
      return;
    }
    if (!socket.writable || this.#answering.has(socket)) {
      socket.destroy();
      return;
    }
    this.#refused.set(socket, socket.bytesRead);
    const line = refusals.get(error.code ?? "") ?? "400 Bad Request";
    const headers = "content-type: text/plain; charset=utf-8\r\nconnection: close";
    // one who still writes when the connection closes does not get to read
    endSoon(socket);
    socket.end(`HTTP/1.1 ${line}\r\n${headers}\r\n\r\n${line}`);
  }
}
