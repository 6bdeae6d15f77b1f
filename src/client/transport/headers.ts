/** Header fields, as HTTP/1.1 and HTTP/2 send and receive them. */
import type { HttpHeaders } from "../../base/index.js";

/** The peer broke the protocol: nothing more on this connection can be trusted. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/** Limit on informational answers (100 Continue and the like): RFC 9110, section 15.2, sets none, but a few are enough. */
export const mostInformational = 64;

/** Limit on an answer's headers together: more than any server sends before a body. */
export const maxHeaderBytes: number = 256 * 1024;

/** Throws a TypeError if a header cannot be sent. The value is not shown, because it may be a secret. */
export function checkHeaders(headers: HttpHeaders): void {
  for (const name in headers) {
    if (!isHeaderName(name)) throw new TypeError(`"${name}" is no name for a header`);
    const value = headers[name] as string | readonly string[];
    for (const each of typeof value === "string" ? [value] : value) {
      // oxlint-disable-next-line no-control-regex
      if (/[\u0000\r\n]/.test(each)) throw new TypeError(`the header ${name} has a line break or a NUL in its value`);
    }
  }
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/**
 * Adds a field of an answer; repeated fields keep their order. The server chooses the names, so `headers` must start as
 * an `emptyMap`.
 */
export function addHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (typeof before === "string") headers[name] = [before, value];
  else before.push(value);
}
