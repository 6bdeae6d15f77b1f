/** The way of a request through the server, by socket or in-process: authentication, a seat, authorization, limits, routing. */
import type { Readable } from "node:stream";
import {
  type HttpHeaders,
  type HttpRequest,
  linkedAbort,
  type Logger,
  type MetricsRegistry,
} from "../../base/index.js";
import { newBadRequest, newRequestEntityTooLarge, newTimeout, StatusError, parseDuration } from "../../api/index.js";
import type { Audit } from "../audit/audit.js";
import type { AuditTrail } from "../audit/trail.js";
import type { Credentials } from "../auth/authenticate.js";
import { judged, requireAllowed } from "../auth/authorize.js";
import { asksToImpersonate } from "../auth/impersonation/headers.js";
import type { Impersonated } from "../auth/impersonation/modes.js";
import type { Answer } from "../contracts/answer.js";
import type { Authorizer, Decision } from "../contracts/authorizer.js";
import { anonymous, type UserInfo } from "../contracts/user.js";
import { newUid, type Machinery } from "../contracts/scope.js";
import type { Registry } from "../registry/registry.js";
import { Templates } from "../registry/write/templates.js";
import { Bodies, type BodyShare } from "./limits/bodies.js";
import { refusalAnswer } from "./answers/refusal.js";
import type { FlowControl } from "../flow/flow-control.js";
import type { Flow } from "../flow/levels.js";
import { compressed } from "./answers/compress.js";
import type { Exchange } from "./exchange.js";
import { identify, type IdentifyOptions, impersonated } from "./identify.js";
import { Recording } from "./recording.js";
import { endingWith } from "./limits/ending.js";
import { InFlight } from "./limits/in-flight.js";
import { MaxInFlight } from "./limits/max-in-flight.js";
import { isLongRunning, isProxy, Seats } from "./limits/seats.js";
import { checkExtent } from "./limits/json-extent.js";
import { Warnings } from "./answers/warnings.js";
import { SharedFrames } from "./answers/watch-frames.js";
import { Deadlines } from "./limits/deadlines.js";
import type { Codec } from "../contracts/codec.js";
import { identityMetrics, type IdentityMetrics } from "./metrics/identity-metrics.js";
import { LongTurns } from "./metrics/long-turns.js";
import { requestMetrics } from "./metrics/request-metrics.js";
import { requestInfo, splitTarget } from "./request-info.js";
import type { RequestInfo } from "../contracts/request.js";
import { defined } from "../../base/defined.js";
import { after } from "../../base/time/awaitable.js";

export interface Limits {
  readonly bodyBytes: number;
  /** Limit on all bodies together that are being read or worked on; half of it for one user. */
  readonly bodiesBytes: number;
  /** Limit on one stored object, in the size that kube-apiserver would store. */
  readonly objectBytes: number;
  readonly requestTimeoutMs: number;
  /** Together with `writesInFlight` the seats that priority levels share, as with kube-apiserver's two flags. */
  readonly readsInFlight: number;
  readonly writesInFlight: number;
  /** Limit on the connections of each listener: further ones are closed as they come. */
  readonly connections: number;
  /** Limit on connections that have not carried an authenticated request yet: one more closes the oldest of them. */
  readonly strangers: number;
}

const defaultLimits: Limits = {
  bodyBytes: 3 * 1024 * 1024,
  bodiesBytes: 128 * 1024 * 1024,
  objectBytes: 1.5 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  readsInFlight: 400,
  writesInFlight: 200,
  connections: 10_000,
  strangers: 1_000,
};

/** A request may be twice as long as the largest object, unless its limit is given too. */
export function limitsOf(given: Partial<Limits>): Limits {
  const { bodyBytes } = defaultLimits;
  return { ...defaultLimits, bodyBytes: Math.max(bodyBytes, 2 * (given.objectBytes ?? 0)), ...given };
}

/** Functions that a listener adds to a request. */
interface Arriving {
  /** Reads the body, which is not in memory yet; `take` is called before bytes are kept, and throws if they are too many. */
  readonly readBody?: ((take: (bytes: number) => void) => Promise<Uint8Array | undefined>) | undefined;
  /** The body as it comes, of any length; absent if there is none. */
  readonly streamBody?: (() => Readable) | undefined;
  /** Called once the sender is authenticated; never for an anonymous one. */
  welcome?(): void;
  /** The client's address. */
  readonly from?: string | undefined;
  /** True if the connection can be handed over after an answer of 101. */
  readonly switches?: boolean;
}

type IncomingRequest = HttpRequest & Omit<Credentials, "headers"> & Arriving;

export type Handler = (request: IncomingRequest, signal: AbortSignal) => Promise<Answer>;

export interface HandlerOptions extends IdentifyOptions {
  readonly authorizer: Authorizer;
  readonly machinery: Machinery;
  readonly registry: Registry;
  readonly codecs: readonly Codec[];
  /** Absent: nothing is recorded. */
  readonly audit: Audit | undefined;
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly flow: FlowControl;
  /** False if requests are limited by their number alone. */
  readonly isFair: boolean;
  /** Aborts when the server stops: this ends watches, but no other request. */
  readonly stopping: AbortSignal;
  /** Whether another server answers the request in place of this one. */
  readonly isRemote: (exchange: Exchange) => boolean;
  /** Answers requests that have passed all checks. */
  readonly route: (exchange: Exchange) => Promise<Answer>;
}

export interface Handling {
  readonly handle: Handler;
  /** Resolves when no request but watches is being answered. */
  idle(): Promise<void>;
}

export function createHandler(options: HandlerOptions): Handling {
  const { machinery, limits, log, registry, codecs } = options;
  const measure = requestMetrics(options.metrics, options.registry, machinery.clock);
  const identities = identityMetrics(options.metrics, machinery.clock);
  const turns = new LongTurns({ clock: machinery.clock, log, metrics: options.metrics, registry: options.registry });
  const deadlines = new Deadlines(machinery.clock, limits.requestTimeoutMs);
  const auditId = auditIds(machinery);
  const inFlight = new InFlight();
  const seats = new Seats(options.flow, { clock: machinery.clock, longestMs: limits.requestTimeoutMs });
  const maxInFlight = options.isFair ? undefined : new MaxInFlight(limits);
  const bodies = new Bodies(limits.bodiesBytes);

  const shared = { machinery, registry, codecs, templates: new Templates(), frames: new SharedFrames(), log };

  /** Handles a request whose sender is authorized. */
  const work = async (exchange: Exchange): Promise<Answer> => {
    const { request, info } = exchange;
    turns.begin(info);
    if (request.body !== undefined) checkBody(request.body, request.headers, limits);
    inFlight.enter();
    try {
      const routing = options.route(exchange);
      const routed = await (isLongRunning(info) ? routing : deadlines.within(routing, tooLate));
      const response = recorded(exchange, routed);
      return request.method === "GET" && isCompressible(info) ? await compressed(request, response) : response;
    } finally {
      inFlight.leave();
    }
  };

  /** Handles a request that has its seat. */
  const answer = async (request: IncomingRequest, exchange: Exchange): Promise<Answer> => {
    const { info, user } = exchange;
    const isOpen = user === anonymous && options.anonymous.at(exchange.path) === "open";
    if (user !== anonymous) request.welcome?.();
    const judging = isOpen ? opened(exchange, options) : permitted(exchange, options, identities);
    if (judging instanceof Promise) await judging;
    turns.begin(info);
    if (info.verb === "watch") return recorded(exchange, await options.route(exchange));
    checkTimeout(exchange.query);
    // the body of an anonymous request to a public path is not read
    if (request.readBody === undefined || isOpen) return work(exchange);
    // another server has limits of its own
    if (isProxy(info) || options.isRemote(exchange)) return work({ ...exchange, streamBody: request.streamBody });
    using share = bodies.share(user.username);
    return await work(await withBody(exchange, request, share));
  };

  const handle: Handler = async (request, signal) => {
    const { path, query } = splitTarget(request.path);
    const info = requestInfo(request.method, path, query);
    const startedAt = machinery.clock.monotonic();
    const found = identities.since(startedAt);
    const link = info.verb === "watch" ? linkedAbort(signal, options.stopping) : undefined;
    const warnings = new Warnings();
    const id = auditId(request.headers);
    const recording = options.audit && new Recording(options.audit, { request, info, auditId: id, machinery, codecs });
    let response: Answer;
    let place: Flow | undefined;
    try {
      const identifying = identified(options, request, { path, query, info, recording, found });
      const { user, audit } = identifying instanceof Promise ? await identifying : identifying;
      if (maxInFlight === undefined && !isLongRunning(info)) place = options.flow.flowOf(user, info);
      const about = { info, path, query, user, warnings, auditId: id, audit, signal: link?.signal ?? signal };
      const exchange = exchangeOf(shared, request, about);
      const begin = (begun: Exchange): Promise<Answer> => answer(request, begun);
      response = await (maxInFlight?.during(exchange, begin) ?? seats.during(place, exchange, begin));
    } catch (error) {
      response = await refusalAnswer({ store: machinery.store, log, codecs }, error, { request, path, query });
      response = recording?.refused(response) ?? response;
    }
    if (recording !== undefined) response = recording.ending(response);
    measure(info, { method: request.method, code: response.status, startedAt });
    // the links to long-lived signals must not outlive the exchange
    if (link !== undefined) response = endingBoth(response, link);
    const headers = withCommon(response.headers, { auditId: id, warnings: warnings.headers(), place });
    return { ...response, headers };
  };

  return {
    handle,
    async idle() {
      await inFlight.idle();
      deadlines.rest();
    },
  };
}

type Shared = Pick<Exchange, "machinery" | "registry" | "codecs" | "templates" | "frames" | "log">;
type About = Pick<Exchange, "info" | "path" | "query" | "user" | "warnings" | "auditId" | "audit" | "signal">;

/** Member by member: three spreads cost a twentieth of a small request. */
function exchangeOf(shared: Shared, request: IncomingRequest, about: About): Exchange {
  return {
    request,
    info: about.info,
    path: about.path,
    query: about.query,
    user: about.user,
    signal: about.signal,
    auditId: about.auditId,
    from: request.from,
    switches: request.switches ?? false,
    machinery: shared.machinery,
    registry: shared.registry,
    codecs: shared.codecs,
    templates: shared.templates,
    frames: shared.frames,
    log: shared.log,
    warnings: about.warnings,
    audit: about.audit,
  };
}

const recorded = ({ audit }: Exchange, answer: Answer): Answer => audit?.answered(answer) ?? answer;

/** The exchange with its body in memory. */
async function withBody(exchange: Exchange, request: IncomingRequest, share: BodyShare): Promise<Exchange> {
  const body = await request.readBody?.((bytes) => share.take(bytes));
  return body === undefined ? exchange : { ...exchange, request: { ...request, body } };
}

/** Throws unless the user may make the request. A promise only if the authorizer has to wait. */
function permitted(
  { user, info, query, audit }: Exchange,
  { authorizer, machinery }: HandlerOptions,
  metrics: IdentityMetrics,
): void | Promise<void> {
  const startedAt = machinery.clock.monotonic();
  const decided = (decision: Decision): void => {
    audit?.decided(decision);
    metrics.authorized(decision, startedAt);
  };
  return requireAllowed(authorizer, user, judged(info, query), { decided });
}

/** Records the decision about a request that anybody may make. */
async function opened({ user, info, audit }: Exchange, { authorizer }: HandlerOptions): Promise<void> {
  if (audit === undefined) return;
  const { reason } = await authorizer(user, info);
  audit.decided({ allowed: true, ...defined({ reason }) });
}

/** The answer, with whose body the link ends. */
function endingBoth(response: Answer, link: Disposable): Answer {
  if (!(response.body instanceof Uint8Array))
    return { ...response, body: endingWith(response.body, () => link[Symbol.dispose]()) };
  link[Symbol.dispose]();
  return response;
}

interface Arrived {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly recording: Recording | undefined;
  /** Is told of the outcome of authentication. */
  found(user: UserInfo | "refused" | "none"): void;
}

interface Identified {
  readonly user: UserInfo;
  readonly audit: AuditTrail | undefined;
}

/** The user of a request, and its audit trail if it is recorded. A promise only if another server has to be asked. */
function identified(
  options: HandlerOptions,
  request: IncomingRequest,
  { path, query, info, recording, found }: Arrived,
): Identified | Promise<Identified> {
  const as = (caller: UserInfo): Identified | Promise<Identified> => {
    const audit = recording?.begin(caller);
    if (!asksToImpersonate(request.headers)) return { user: caller, audit };
    const become = (other: Impersonated): Identified => {
      audit?.impersonated(other.user, other.constraint);
      return { user: other.user, audit };
    };
    const other = impersonated(options, caller, { headers: request.headers, path, request: () => judged(info, query) });
    if (other === undefined) return { user: caller, audit };
    return after(other, become);
  };
  return after(identify(options, request, path, found), as);
}

/** True for objects, lists and documents; the stream of a subresource (a followed log) is sent as it comes. */
const isCompressible = (info: RequestInfo): boolean => info.type === "other" || info.subresource === "";

/** A client's own time limit shortens its wait for a seat, not the work, which is quick; it must be a duration. */
function checkTimeout(query: URLSearchParams): void {
  const timeout = query.get("timeout");
  if (timeout === null || timeout === "") return;
  try {
    parseDuration(timeout);
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string };
    throw newBadRequest(`invalid timeout specified in the request URL - ${reason ?? message}`);
  }
}

/** Refuses a body that is too long, too deep or of too many parts. In binary forms, the decoder counts depth and parts itself. */
function checkBody(body: Uint8Array, headers: HttpHeaders, { bodyBytes }: Limits): void {
  if (body.length > bodyBytes) throw newRequestEntityTooLarge(`limit is ${bodyBytes}`);
  if (isBinary(headers)) return;
  checkExtent(body);
}

function isBinary(headers: HttpHeaders): boolean {
  return /^application\/(?:vnd\.kubernetes\.protobuf|cbor|apply-patch\+cbor)\b/i.test(
    String(headers["content-type"] ?? ""),
  );
}

const tooLate = (): StatusError => newTimeout("request did not complete within the allotted timeout", 0);

/** The id that the client gives, or a unique one in the form of a UUID: a prefix for this server, and a count. */
function auditIds({ random }: Machinery): (headers: HttpHeaders) => string {
  const start = newUid(random).slice(0, 24);
  let count = 0;
  return ({ "audit-id": sent }) => {
    const [given] = [sent ?? []].flat();
    return given || start + (count++).toString(16).padStart(12, "0");
  };
}

interface Common {
  readonly auditId: string;
  readonly warnings: readonly string[];
  /** Undefined for a request that takes no seat. */
  readonly place: Flow | undefined;
}

/** The headers of every answer, followed by its own. */
function withCommon(own: HttpHeaders, { auditId, warnings, place }: Common): HttpHeaders {
  const headers: { -readonly [K in keyof HttpHeaders]: HttpHeaders[K] } = {
    "audit-id": auditId,
    "cache-control": "no-cache, private",
  };
  if (warnings.length > 0) headers["warning"] = warnings;
  if (place !== undefined) {
    headers["x-kubernetes-pf-flowschema-uid"] = place.schemaUid;
    headers["x-kubernetes-pf-prioritylevel-uid"] = place.level.uid;
  }
  return Object.assign(headers, own);
}
