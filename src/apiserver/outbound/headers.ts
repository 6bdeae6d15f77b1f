/**
 * The headers of a request that this server sends to another one on behalf of a user. The other server believes them,
 * because they come with the front proxy's certificate; so nothing that a client writes may become one of them.
 */
import { headerValues } from "../../base/http.js";
import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { HttpHeaders, HttpRequest } from "../../base/index.js";
import { remoteHeaders, type UserInfo } from "../contracts/user.js";
import { hopByHop, namedIn } from "./forward.js";

export function remoteUser({ username, uid, groups, extra = {} }: UserInfo): OutgoingHttpHeaders {
  const { user, uid: uidHeader, group, extraPrefix } = remoteHeaders;
  return {
    [user]: headerValue(username),
    ...(uid ? { [uidHeader]: headerValue(uid) } : {}),
    ...(groups.length > 0 ? { [group]: groups.map(headerValue) } : {}),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [extraPrefix + escaped(key), values.map(headerValue)]),
    ),
  };
}

/** Bytes of UTF-8, as Go writes them; Node takes the characters of a header for bytes. */
const headerValue = (text: string): string => Buffer.from(text).toString("latin1");

/** RFC 9110, section 5.6.2: all but the characters of a token is percent-encoded, and so is the percent sign. */
function escaped(key: string): string {
  return key.replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

/** Credentials of the client, and headers that this server writes itself. */
const own: ReadonlySet<string> = new Set([
  "authorization",
  "host",
  "content-length",
  "expect",
  "http2-settings",
  "x-forwarded-uri",
  "x-forwarded-host",
  "x-forwarded-proto",
]);
/** A header may be spelled with `_` by a server that takes it for `-`. */
const reserved = /^(x[-_]remote[-_]|impersonate[-_]|:)/;

/** The token of a browser comes as a WebSocket subprotocol. */
const tokenProtocol = /^base64url\.bearer\.authorization\.k8s\.io\./;

/**
 * The header that says where the body ends: its length if it is known. Node writes none for some methods, and the other
 * server would then take the body for a further request.
 */
export function framing(
  { method, headers }: Pick<HttpRequest, "headers" | "method">,
  body: Uint8Array | Readable | undefined,
): OutgoingHttpHeaders {
  if (body === undefined) return method === "GET" || method === "HEAD" ? {} : { "content-length": 0 };
  if (body instanceof Uint8Array) return { "content-length": body.length };
  const length = headers["content-length"];
  return length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": String(length) };
}

export interface ClientSide {
  /** Whether the connection may change its protocol. */
  readonly switches: boolean;
  /** The client's address. */
  readonly from: string | undefined;
}

/** The client's headers that the other server may see. */
export function clientHeaders(headers: HttpHeaders, { switches, from }: ClientSide): OutgoingHttpHeaders {
  const dropped = namedIn(headers["connection"]);
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (hopByHop.has(name) || dropped.has(name) || own.has(name) || reserved.test(name)) continue;
    passed[name] = typeof value === "string" ? value : [...value];
  }
  if (switches) Object.assign(passed, { connection: "Upgrade", upgrade: headers["upgrade"] });
  const protocols = String(headers["sec-websocket-protocol"] ?? "");
  if (protocols !== "") {
    const others = protocols.split(",").filter((name) => !tokenProtocol.test(name.trim()));
    passed["sec-websocket-protocol"] = others.join(",").trim();
  }
  if (from !== undefined) {
    const before = headerValues(headers, "x-forwarded-for");
    passed["x-forwarded-for"] = [...before, from].join(", ");
  }
  return passed;
}
