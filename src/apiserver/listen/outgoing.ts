/** Writes an answer, whole or in pieces, to a socket, no faster than the client reads it. */
import { leaveUnread } from "../http/limits/ending.js";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import type { HttpBody, HttpHeaders } from "../../base/index.js";
import type { Answer as Tunnelled } from "../contracts/answer.js";
import { endSoon } from "./connections.js";
import type { Upgrade } from "./web-socket.js";
import type { Deadlines } from "../http/limits/deadlines.js";

export type Response = ServerResponse | ServerHttp2Stream;

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpBody;
  readonly head: boolean;
  /** Everything is written at once, but the exchange ends only when this has resolved. */
  readonly until?: Promise<void>;
  /** Limits the time in which the client reads nothing; unlimited if absent. */
  readonly patience?: Deadlines;
}

/** TLS copies its input, so this bounds the memory of a client that does not read, however long its answer is. */
const writtenBytes = 64 * 1024;

/** `over` aborts when the exchange must end, because the client is gone or the server stops. */
export async function writeAnswer(response: Response, answer: OutgoingAnswer, over: AbortSignal): Promise<void> {
  const { status, headers, body, head, until } = answer;
  const out: Writable = response;
  const isWhole = body instanceof Uint8Array;
  const length = isWhole && (head || status !== 304) ? { "content-length": body.length } : {};
  writeHead(response, status, { ...(headers as OutgoingHttpHeaders), ...length });
  if (isWhole && until === undefined && (head || body.length <= writtenBytes)) {
    if (head || body.length === 0) out.end();
    else out.end(body);
    return;
  }
  if (!isWhole && "flushHeaders" in response) response.flushHeaders();
  let isHurried = false;
  const hurry = (): void => {
    if (!isHurried && !isGone(out)) endSoon(response);
    isHurried = true;
  };
  if (head) await leaveUnread(body);
  else {
    for await (const chunk of isWhole ? [body] : body) {
      if (!(await written(out, chunk, { ...answer, over, hurry }))) return;
    }
  }
  await until;
  out.end();
}

/** Answers 100 Continue, upon which the client sends its body. */
export function askForBody(response: Response): void {
  if ("writeContinue" in response) response.writeContinue();
  else if (!response.destroyed) response.additionalHeaders({ ":status": 100 });
}

/** Node has already ended the writable side of a HEAD, so only a destroyed stream is gone here. */
function writeHead(response: Response, status: number, headers: OutgoingHttpHeaders): void {
  if ("writeHead" in response) response.writeHead(status, headers);
  else if (!response.destroyed) response.respond(Object.assign(headers, { ":status": status }));
}

/** False if the client is gone. */
async function written(
  out: Writable,
  chunk: Uint8Array,
  { patience, ...end }: Pick<OutgoingAnswer, "patience"> & End,
): Promise<boolean> {
  for (let from = 0; from < chunk.length; from += writtenBytes) {
    if (isGone(out)) return false;
    if (out.write(chunk.subarray(from, from + writtenBytes))) continue;
    const draining = drained(out, end);
    if (patience === undefined) await draining;
    else await patience.within(draining, () => new Error("the client has not read for too long"));
  }
  return true;
}

const isGone = (out: Writable): boolean => out.destroyed || out.writableEnded;

interface End {
  readonly over: AbortSignal;
  /** Called when the exchange must end while the client still has bytes to read. */
  hurry(): void;
}

/** Resolves when the client has read the written bytes, or is gone. */
function drained(response: Writable, { over, hurry }: End): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      over.removeEventListener("abort", hurry);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
    if (over.aborted) hurry();
    else over.addEventListener("abort", hurry, { once: true });
  });
}

/** Tells the client that its connection speaks another protocol from now on, and hands the connection over. */
export async function switchProtocols({ socket, head }: Upgrade, { headers, tunnel }: Tunnelled): Promise<void> {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (head.length > 0) socket.unshift(head);
  await tunnel?.(socket);
}
