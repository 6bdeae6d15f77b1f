/** Forwards requests for groups and versions of other servers, with the user's name in headers instead of credentials. */
import { Readable } from "node:stream";
import { newTimeout } from "../../api/index.js";
import type { Clock } from "../../base/index.js";
import type { Answer } from "../contracts/answer.js";
import { textAnswer } from "../http/answers/answer.js";
import type { Exchange } from "../http/exchange.js";
import type { RemoteRoute } from "../http/route.js";
import { type Backend, forward, ForwardError } from "../outbound/forward.js";
import { hostAndPort } from "../../base/net/go-words.js";
import { clientHeaders, framing, remoteUser } from "../outbound/headers.js";
import type { Remotes } from "./remotes.js";
import type { RemoteService } from "./remote-service.js";
import { isLongRunning } from "../http/limits/seats.js";

export interface ProxyOptions {
  readonly remotes: Remotes;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  /** Whether the server of an APIService has an OpenAPI v3 document of its own. */
  describesItself(name: string): boolean;
  /** Called if the server of an APIService could not be reached. */
  lost(name: string): void;
}

/** As upstream: discovery must be quick, because many clients wait for it. */
const discoveryTimeoutMs = 5_000;

export function proxyRoute(options: ProxyOptions): RemoteRoute {
  return (exchange) => {
    const remote = remoteFor(exchange, options.remotes);
    if (remote === undefined) return undefined;
    if (isDocument(exchange) && !options.describesItself(remote.name)) return undefined;
    return proxied(exchange, remote, options);
  };
}

/** The server that answers the request in place of this one. */
export function remoteFor(exchange: Exchange, remotes: Remotes): RemoteService | undefined {
  if (remotes.size === 0) return undefined;
  const name = nameOf(exchange);
  return name === undefined ? undefined : remotes.get(name);
}

const isDocument = ({ info, path }: Exchange): boolean => info.type === "other" && path.startsWith("/openapi/");

/** The name of the APIService that would answer the request. */
function nameOf({ info, path }: Exchange): string | undefined {
  if (info.type === "resource") return `${info.version}.${info.group}`;
  const parts = path.split("/").filter((part) => part !== "");
  const [root, group, version, ...more] = parts[0] === "openapi" && parts[1] === "v3" ? parts.slice(2) : parts;
  return root === "apis" && version !== undefined && more.length === 0 ? `${version}.${group}` : undefined;
}

async function proxied(exchange: Exchange, remote: RemoteService, options: ProxyOptions): Promise<Answer> {
  const { remotes, clock } = options;
  if (!remote.available) return unavailable("service unavailable");
  let backend: Backend;
  try {
    backend = remotes.backend(remote.name);
  } catch {
    return unavailable("service unavailable");
  }
  const { request, user, signal } = exchange;
  const { method, path } = request;
  const body = request.body ?? exchange.streamBody?.();
  const switches = exchange.switches && request.headers["upgrade"] !== undefined;
  const authority = hostAndPort(backend.address.host, backend.address.port);
  const headers = {
    ...clientHeaders(request.headers, { switches, from: exchange.from }),
    ...remoteUser(user),
    ...(switches
      ? {}
      : { "X-Forwarded-Host": authority, "X-Forwarded-Proto": "https", "X-Forwarded-Uri": exchange.path }),
    host: authority,
    "audit-id": exchange.auditId,
    ...framing(request, body),
  };
  const limitMs = limitOf(exchange, options.requestTimeoutMs);
  try {
    const answer = await forward({ method, path, headers, body, switches }, backend, { clock, signal, limitMs });
    return checked(answer, switches);
  } catch (error) {
    if (!(error instanceof ForwardError)) throw error;
    if (error.late && exchange.info.type === "resource") {
      throw newTimeout("request did not complete within the allotted timeout", 0);
    }
    if (!signal.aborted) options.lost(remote.name);
    return unavailable(switches ? error.message : `error trying to reach service: ${error.message}`);
  }
}

/** Undefined for an exchange that may last as long as the client likes. */
function limitOf({ info }: Exchange, requestTimeoutMs: number): number | undefined {
  if (info.type === "other") return discoveryTimeoutMs;
  return info.verb === "watch" || isLongRunning(info) ? undefined : requestTimeoutMs;
}

/** Another server may not send clients elsewhere, and may not leave a protocol switch half-done. */
function checked(answer: Answer, switches: boolean): Answer {
  const { status, headers, body } = answer;
  const isRedirect = status >= 300 && status <= 399 && headers["location"] !== undefined;
  const isHalfDone = switches && status !== 101 && status < 400;
  if (!isRedirect && !isHalfDone) return answer;
  if (body instanceof Readable) body.destroy();
  if (isHalfDone) return unavailable(`invalid upgrade response: status code ${status}`);
  const text = "the backend attempted to redirect this request, which is not permitted";
  return { status: 502, headers: {}, body: Buffer.from(text), forwarded: true };
}

/** As Go's `http.Error` writes it. */
const unavailable = (why: string): Answer => textAnswer(503, `${why}\n`);
