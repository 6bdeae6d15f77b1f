/** What a socket's request says: who sent it, its headers, its body within limits. To the listener. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { HttpHeaders } from "../../base/index.js";
import type { CertificateIdentity } from "../auth/authenticate.js";

export type Request = IncomingMessage | Http2ServerRequest;

/** Undefined if there is none. */
export function readBody(request: Request, limit: number): Promise<Uint8Array | undefined | "too large"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too large");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        request.pause();
        resolve("too large");
      }
    });
    request.once("end", () => resolve(chunks.length <= 1 ? chunks[0] : Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went away")));
  });
}

/** Who holds a connection's certificate does not change with its requests. */
const identities = new WeakMap<object, CertificateIdentity | "none">();

export function certificateOf(request: Request): CertificateIdentity | undefined {
  const socket = request.socket as TLSSocket;
  // over HTTP/2 each stream shows the session's socket through another proxy
  const connection = "stream" in request ? (request.stream.session ?? socket) : socket;
  let identity = identities.get(connection);
  if (identity === undefined) identities.set(connection, (identity = readCertificate(socket) ?? "none"));
  return identity === "none" ? undefined : identity;
}

function readCertificate(socket: TLSSocket): CertificateIdentity | undefined {
  if (socket.authorized !== true) return undefined;
  const { subject } = socket.getPeerCertificate();
  // typed as text, but a name with several organizations has a list of them
  const { CN, O } = (subject ?? {}) as { readonly CN?: string; readonly O?: string | readonly string[] };
  if (CN === undefined) return undefined;
  return { commonName: CN, organizations: O === undefined ? [] : typeof O === "string" ? [O] : O };
}

/** Values that may have commas in them must not have been joined by some. */
export function headersOf({ headers, rawHeaders }: Request): HttpHeaders {
  if (headers["impersonate-user"] === undefined) return headers as HttpHeaders;
  const repeated = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!name.startsWith("impersonate-")) continue;
    repeated.set(name, [...(repeated.get(name) ?? []), rawHeaders[index + 1] as string]);
  }
  return { ...(headers as HttpHeaders), ...Object.fromEntries(repeated) };
}
