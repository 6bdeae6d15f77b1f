/** The heads of HTTP/1.1 messages (RFC 9112) as text: writes that of a request and reads that of an answer. */
import type { HttpHeaders, HttpRequest } from "../../base/index.js";
import { addHeader, checkHeaders, isHeaderName, ProtocolViolation } from "../transport/headers.js";
import type { AnswerHead } from "../transport/pending-answer.js";
import { emptyMap } from "../../base/members.js";

/** Methods for which a server expects a body; an empty one is announced. */
const withBody = new Set(["POST", "PUT", "PATCH"]);

/** Gives the text before a request's body. Throws a TypeError if it cannot be sent. */
export type HeadWriter = (request: HttpRequest) => string;

/** Requests of one verb share their headers object, so the lines written last are mostly the next ones too. */
export function headWriter(fixed: HttpHeaders): HeadWriter {
  const before = linesOf(fixed);
  let last: HttpHeaders | undefined;
  let lines = "";
  return ({ method, path, headers, body }) => {
    // any other character could end the line, or arrive as another character
    if (!/^[\x21-\x7e]+$/.test(path)) throw new TypeError("the path has a character that must be escaped");
    if (headers !== last) {
      checkHeaders(headers);
      lines = before + linesOf(headers);
      last = headers;
    }
    const length = body?.length ?? (withBody.has(method) ? 0 : undefined);
    const lengthLine = length === undefined ? "" : `content-length: ${length}\r\n`;
    return `${method} ${path} HTTP/1.1\r\n${lines}${lengthLine}\r\n`;
  };
}

function linesOf(headers: HttpHeaders): string {
  let lines = "";
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    for (const each of typeof value === "string" ? [value] : value) lines += `${name}: ${each}\r\n`;
  }
  return lines;
}

export interface Http1Head extends AnswerHead {
  readonly reason: string;
  /** Milliseconds after this answer for which the connection can serve another request. */
  readonly keptMs: number;
}

/** `text` is everything up to the empty line, without the line breaks around it. */
export function readHead(text: string): Http1Head {
  let at = lineEnd(text, 0);
  const line = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/.exec(text.slice(0, at));
  if (line === null) throw new ProtocolViolation("no status line");
  const headers = emptyMap<string | string[]>();
  while (at < text.length) {
    const start = at + 2;
    at = lineEnd(text, start);
    const colon = text.indexOf(":", start);
    const name = text.slice(start, colon);
    if (colon === -1 || colon > at || !isHeaderName(name)) throw new ProtocolViolation("a line that is no header");
    addHeader(headers, name.toLowerCase(), text.slice(colon + 1, at).trim());
  }
  const isClosing = line[1] === "0" || hasToken(headers["connection"], "close");
  return { status: Number(line[2]), reason: line[3] ?? "", headers, keptMs: isClosing ? 0 : keptMs(headers) };
}

/** The assumed time for which a server keeps a connection if it does not say. */
const usualKeptMs = 90_000;

/** A little less than the server announces: a request that arrives while the server closes is lost. */
function keptMs(headers: HttpHeaders): number {
  const said = /(?:^|[ ,])timeout=(\d{1,6})/.exec(String(headers["keep-alive"] ?? ""))?.[1];
  return said === undefined ? usualKeptMs : Math.max(0, Number(said) * 1000 - 1000);
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\r\n", from);
  return end === -1 ? text.length : end;
}

/** True if a header whose value is a list contains this token. */
export function hasToken(value: string | readonly string[] | undefined, token: string): boolean {
  if (value === undefined) return false;
  const text = typeof value === "string" ? value : value.join(",");
  return text.split(",").some((each) => each.trim().toLowerCase() === token);
}
