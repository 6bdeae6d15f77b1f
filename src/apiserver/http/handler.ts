/** The way of a request through the server, by socket or in-process: authentication, a seat, authorization, limits, routing. */
import {
  type HttpHeaders,
  type HttpRequest,
  linkedAbort,
  type Logger,
  messageOf,
  type MetricsRegistry,
} from "../../base/index.js";
import {
  newInternalError,
  newBadRequest,
  newRequestEntityTooLarge,
  newTimeout,
  newUnauthorized,
  StatusError,
  parseDuration,
  newFailure,
} from "../../api/index.js";
import { authenticate, type Authenticator, type Credentials } from "../auth/authenticate.js";
import { judged, requireAllowed } from "../auth/authorize.js";
import type { Authorizer } from "../contracts/authorizer.js";
import { asksToImpersonate, impersonation } from "../auth/impersonate.js";
import type { Answer } from "../contracts/answer.js";
import { anonymous, type UserInfo } from "../contracts/user.js";
import { newUid, type Machinery } from "../contracts/scope.js";
import type { Registry } from "../registry/registry.js";
import { Templates } from "../registry/write/templates.js";
import { JournalError, type Store, TooLargeError } from "../storage/contract.js";
import { Bodies } from "./limits/bodies.js";
import { statusAnswer, textAnswer } from "./answers/answer.js";
import { type FlowControl, Rejected } from "../flow/flow-control.js";
import type { Flow } from "../flow/levels.js";
import { compressed } from "./answers/compress.js";
import type { Exchange } from "./exchange.js";
import { endingWith } from "./limits/ending.js";
import { InFlight } from "./limits/in-flight.js";
import { isLongRunning, Seats } from "./limits/seats.js";
import { checkExtent } from "./limits/json-extent.js";
import { json, negotiate, type Output, protobuf, yaml } from "./answers/negotiate.js";
import { Warnings } from "./answers/warnings.js";
import { SharedFrames } from "./answers/watch-frames.js";
import { Deadlines } from "./limits/deadlines.js";
import type { Codec } from "../contracts/codec.js";
import { LongTurns } from "./metrics/long-turns.js";
import { requestMetrics } from "./metrics/request-metrics.js";
import { requestInfo, splitTarget } from "./request-info.js";
import type { RequestInfo } from "../contracts/request.js";

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

export const defaultLimits: Limits = {
  bodyBytes: 3 * 1024 * 1024,
  bodiesBytes: 128 * 1024 * 1024,
  objectBytes: 1.5 * 1024 * 1024,
  requestTimeoutMs: 60_000,
  readsInFlight: 400,
  writesInFlight: 200,
  connections: 10_000,
  strangers: 1_000,
};

/** Functions that a listener adds to a request. */
interface Arriving {
  /** Reads the body, which is not in memory yet; `take` is called before bytes are kept, and throws if they are too many. */
  readBody?(take: (bytes: number) => void): Promise<Uint8Array | undefined>;
  /** Called once the sender is authenticated; never for an anonymous one. */
  welcome?(): void;
  /** The client's address. */
  readonly from?: string | undefined;
  /** True if the connection can be handed over after an answer of 101. */
  readonly switches?: boolean;
}

type IncomingRequest = HttpRequest & Omit<Credentials, "headers"> & Arriving;

export type Handler = (request: IncomingRequest, signal: AbortSignal) => Promise<Answer>;

export interface HandlerOptions {
  readonly machinery: Machinery;
  readonly registry: Registry;
  readonly codecs: readonly Codec[];
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly limits: Limits;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly flow: FlowControl;
  /** Aborts when the server stops: this ends watches, but no other request. */
  readonly stopping: AbortSignal;
  /** Answers requests that have passed all checks. */
  readonly route: (exchange: Exchange) => Promise<Answer>;
  /** Whether a path may be read without authentication. */
  isPublic(path: string): boolean;
  /** Whether a request without credentials is that of a user, `system:anonymous`, to whom roles may permit something. */
  readonly anonymous: boolean;
}

export interface Handling {
  readonly handle: Handler;
  /** Resolves when no request but watches is being answered. */
  idle(): Promise<void>;
}

export function createHandler(options: HandlerOptions): Handling {
  const { machinery, limits, log } = options;
  const measure = requestMetrics(options.metrics, options.registry, machinery.clock);
  const turns = new LongTurns({ clock: machinery.clock, log, metrics: options.metrics, registry: options.registry });
  const deadlines = new Deadlines(machinery.clock, limits.requestTimeoutMs);
  const auditId = auditIds(machinery);
  const inFlight = new InFlight();
  const seats = new Seats(options.flow, { clock: machinery.clock, longestMs: limits.requestTimeoutMs });
  const bodies = new Bodies(limits.bodiesBytes);

  const { registry, codecs } = options;
  const shared = { machinery, registry, codecs, templates: new Templates(), frames: new SharedFrames(), log };

  /** Handles a request whose sender is authorized. */
  const work = async (exchange: Exchange): Promise<Answer> => {
    const { request, info } = exchange;
    turns.begin(info);
    if (request.body !== undefined) checkBody(request.body, request.headers, limits);
    inFlight.enter();
    try {
      const response = await deadlines.within(options.route(exchange), tooLate);
      return request.method === "GET" && isCompressible(info) ? await compressed(request, response) : response;
    } finally {
      inFlight.leave();
    }
  };

  /** Handles a request that has its seat. */
  const answer = async (request: IncomingRequest, exchange: Exchange): Promise<Answer> => {
    const { info, user } = exchange;
    const isOpen = user === anonymous && options.isPublic(exchange.path);
    if (user !== anonymous) request.welcome?.();
    if (!isOpen) requireAllowed(options.authorizer, user, judged(info, exchange.query));
    turns.begin(info);
    if (info.verb === "watch") return options.route(exchange);
    checkTimeout(exchange.query);
    // the body of an anonymous request to a public path is not read
    if (request.readBody === undefined || isOpen) return work(exchange);
    using share = bodies.share(user.username);
    const body = await request.readBody((bytes) => share.take(bytes));
    return await work(body === undefined ? exchange : { ...exchange, request: { ...request, body } });
  };

  const handle: Handler = async (request, signal) => {
    const { path, query } = splitTarget(request.path);
    const info = requestInfo(request.method, path, query);
    const startedAt = machinery.clock.monotonic();
    const link = info.verb === "watch" ? linkedAbort(signal, options.stopping) : undefined;
    const warnings = new Warnings();
    const id = auditId();
    let response: Answer;
    let place: Flow | undefined;
    try {
      const user = identify(options, request, path);
      if (!isLongRunning(info)) place = options.flow.flowOf(user, info);
      const about = { request, info, path, query, user, warnings, auditId: id };
      const connection = { from: request.from, switches: request.switches ?? false };
      const exchange = { ...shared, ...about, ...connection, signal: link?.signal ?? signal };
      response = await seats.during(place, exchange, (begun) => answer(request, begun));
    } catch (error) {
      response = await refusalAnswer(options, error, { request, path, query });
    }
    measure(info, { method: request.method, code: response.status, startedAt });
    // the links to long-lived signals must not outlive the exchange
    if (link !== undefined) {
      if (response.body instanceof Uint8Array) link[Symbol.dispose]();
      else response = { ...response, body: endingWith(response.body, () => link[Symbol.dispose]()) };
    }
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

async function refusalAnswer(
  { machinery, log, codecs }: HandlerOptions,
  error: unknown,
  {
    request,
    path,
    query,
  }: { readonly request: IncomingRequest; readonly path: string; readonly query: URLSearchParams },
): Promise<Answer> {
  if (error instanceof Rejected) return tooMany(error);
  const refusal = asStatusError(await lasting(machinery.store, error), log, `${request.method} ${path}`);
  return statusAnswer(refusal, formOf(request, query, codecs));
}

/** The form of a refusal for this client; JSON if the requested form is not available. */
function formOf(
  request: IncomingRequest,
  query: URLSearchParams,
  codecs: readonly Codec[],
): { readonly output: Output; readonly codec: Codec | undefined } | undefined {
  const [accept, agent] = [request.headers?.["accept"], request.headers?.["user-agent"]];
  const mediaTypes = [json, yaml, protobuf];
  try {
    const output = negotiate(
      String(accept ?? ""),
      { mediaTypes, transforms: false, custom: true },
      query,
      String(agent ?? ""),
    );
    return { output, codec: codecs.find(({ mediaType }) => mediaType === output.mediaType) };
  } catch {
    return undefined;
  }
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

/** Refuses a body that is too long, too deep or of too many parts. In protobuf, the decoder counts depth and parts itself. */
function checkBody(body: Uint8Array, headers: HttpHeaders, { bodyBytes }: Limits): void {
  if (body.length > bodyBytes) throw newRequestEntityTooLarge(`limit is ${bodyBytes}`);
  if (isBinary(headers)) return;
  checkExtent(body);
}

function isBinary(headers: HttpHeaders): boolean {
  return String(headers["content-type"] ?? "").startsWith("application/vnd.kubernetes.protobuf");
}

function identify(options: HandlerOptions, request: IncomingRequest, path: string): UserInfo {
  const user = authenticate(options.authenticators, request);
  if (typeof user !== "string") {
    return asksToImpersonate(request.headers) ? impersonated(options, user, request.headers) : user;
  }
  if (user === "none" && (options.anonymous || options.isPublic(path))) return anonymous;
  throw newUnauthorized();
}

/** The caller must be allowed to impersonate each part of the other identity. */
function impersonated({ authorizer }: HandlerOptions, caller: UserInfo, headers: HttpHeaders): UserInfo {
  const { user, permissions } = impersonation(headers);
  for (const permission of permissions) requireAllowed(authorizer, caller, permission);
  return user;
}

const tooLate = (): StatusError => newTimeout("request did not complete within the allotted timeout", 0);

/**
 * A refusal may depend on a write that is not on disk yet (an object exists, is gone, has changed), and must still be
 * right after a crash: so it is given once the write is on disk. If the write fails, that error is given instead.
 */
async function lasting(store: Store, refusal: unknown): Promise<unknown> {
  const { revision } = store;
  if (revision <= store.settledRevision) return refusal;
  try {
    await store.settled(revision);
    return refusal;
  } catch (error) {
    return error;
  }
}

/** In the words of etcd, behind kube-apiserver. */
const tooLargeToStore = newFailure({ message: "etcdserver: request is too large", code: 500 });

function asStatusError(error: unknown, log: Logger, what: string): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof TooLargeError) return tooLargeToStore;
  if (error instanceof JournalError) {
    log.error("a write was refused by the disk", { what, error });
    return newInternalError(error.message);
  }
  log.error("a request failed", { what, error });
  return newInternalError(messageOf(error));
}

/** Unique ids in the form of a UUID: a prefix for this server, and a count. */
function auditIds({ random }: Machinery): () => string {
  const start = newUid(random).slice(0, 24);
  let count = 0;
  return () => start + (count++).toString(16).padStart(12, "0");
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

function tooMany({ message, afterSeconds }: Rejected): Answer {
  const { headers, ...answer } = textAnswer(429, `${message}\n`);
  return { ...answer, headers: { ...headers, "retry-after": String(afterSeconds) } };
}
