/** Asks another server, as this server itself, for one of its documents; gives the whole answer, up to a limit. */
import { defined } from "../../base/defined.js";
import type { Clock, HttpHeaders } from "../../base/index.js";
import { type Backend, forward } from "../outbound/forward.js";
import { hostAndPort } from "../../base/net/go-words.js";
import { remoteUser } from "../outbound/headers.js";
import { mastersGroup } from "../contracts/user.js";
import { collected } from "../../base/net/streams.js";

export interface Asked {
  readonly path: string;
  readonly accept?: string;
  /** The tag of the document that is known already. */
  readonly etag?: string | undefined;
  readonly limitBytes: number;
  readonly limitMs: number;
}

export interface Told {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly bytes: Uint8Array;
}

/** May read everything, so that the answer does not depend on a user. */
const aggregator = { username: "system:kube-aggregator", groups: [mastersGroup] };

/** Rejects if there is no answer in time, or if it is too long. */
export async function ask(
  backend: Backend,
  { path, accept, etag, limitBytes, limitMs }: Asked,
  running: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Told> {
  const { host, port } = backend.address;
  const headers = {
    host: hostAndPort(host, port),
    ...remoteUser(aggregator),
    ...defined({ accept, "if-none-match": etag }),
  };
  const answer = await forward({ method: "GET", path, headers }, backend, { ...running, limitMs });
  const tooLarge = (): Error => new Error(`the answer is larger than ${limitBytes} bytes`);
  const bytes = await collected(answer.body as AsyncIterable<Uint8Array>, limitBytes, tooLarge);
  return { status: answer.status, headers: answer.headers, bytes };
}
