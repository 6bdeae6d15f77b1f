/** Sends built requests through a transport, with limits on time, rate and repetition. */
import {
  abortReason,
  type Clock,
  type HttpBody,
  type HttpHeaders,
  type HttpResponse,
  onAbort,
  type Random,
  type Timer,
  type Transport,
} from "../../base/index.js";
import { hasNoNulls, withoutNullMembers } from "../../api/meta/nulls.js";
import { BodyQueue } from "../transport/body-queue.js";
import { CallTrace, calledFrom } from "./call-trace.js";
import { requestPoint } from "./trace.js";
import { ConnectionError, inCall, messageOf, refusedCall, statusOfAnswer } from "../failure.js";
import { type AnswerLimits, oversized } from "./limits.js";
import type { CallOptions } from "./options.js";
import type { BuiltRequest } from "./request.js";
import { delayWhenAsked, delayWhenDisconnected, type RetryPolicy } from "./retry.js";
import { collected } from "../../base/net/streams.js";

/** Waits for the next request's turn; a `TokenBucket` will do. */
export interface RateLimiter {
  take(signal: AbortSignal): Promise<void>;
}

/** The outcome of one attempt to send a request. The code is 0 if there was no answer. */
export interface AttemptReport {
  readonly method: string;
  readonly title: string;
  readonly code: number;
  readonly durationMs: number;
}

type AttemptListeners = ReadonlySet<(report: AttemptReport) => void>;

export interface ExchangeSettings {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: RetryPolicy;
  /**
   * The limit for each attempt, from sending to the last byte; for a streamed list and a watch, to the first byte. 0
   * for none.
   */
  readonly timeoutMs: number;
  readonly limiter?: RateLimiter | undefined;
  readonly limits: AnswerLimits;
  readonly userAgent: string;
  readonly onWarning?: ((warning: string, title: string) => void) | undefined;
  /** Told of each attempt. */
  readonly attempts: AttemptListeners;
  readonly rememberCalls: boolean;
}

const nobody: AbortSignal = new AbortController().signal;

/**
 * The number of times that a controller is reused: enough to save its creation, not so many that a forgotten listener
 * adds up.
 */
const reuses = 100;

/**
 * One sending of a request, which can be ended. Its holder must dispose it when the answer is read.
 * Invariants:
 * 1. At most one timer is armed at a time.
 * 2. After dispose no timer is armed and no listener is left on the caller's signal.
 * 3. A controller that has aborted, or whose answer may still be read, is never reused.
 */
export class Attempt implements Disposable {
  readonly #clock: Clock;
  #controller = new AbortController();
  #used = 0;
  #link: Disposable | undefined;
  #timer: Timer | undefined;
  #heardAtMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(caller: AbortSignal | undefined): void {
    if (this.#used++ > reuses) {
      this.#controller = new AbortController();
      this.#used = 0;
    }
    const controller = this.#controller;
    if (caller !== undefined) this.#link = onAbort(caller, (reason) => controller.abort(reason));
  }

  /**
   * Ends the attempt with this error unless `limit` is called again, or the attempt disposed, within the time. 0 only
   * disarms.
   */
  limit(ms: number, error: () => ConnectionError): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = ms === 0 ? undefined : this.#clock.timer(ms, () => this.#controller.abort(error()));
  }

  /** From now on ends the attempt with this error when nothing is heard for the time. 0 only disarms. */
  expect(ms: number, error: () => ConnectionError): void {
    this.#heardAtMs = this.#clock.monotonic();
    const check = (): void => {
      const quietMs = this.#heardAtMs === undefined ? 0 : this.#clock.monotonic() - this.#heardAtMs;
      if (quietMs >= ms) this.#controller.abort(error());
      else this.#timer = this.#clock.timer(ms - quietMs, check);
    };
    this.limit(0, error);
    if (ms > 0) this.#timer = this.#clock.timer(ms, check);
  }

  /** Records that bytes came. Costs a reading of the clock, not a timer: long lists and busy watches come in very many pieces. */
  heard(): void {
    this.#heardAtMs = this.#clock.monotonic();
  }

  /** Until something is heard again, silence is not the server's fault, because nobody reads. */
  hold(): void {
    this.#heardAtMs = undefined;
  }

  end(reason?: Error): void {
    this.#controller.abort(reason ?? ended);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#link?.[Symbol.dispose]();
    this.#link = undefined;
  }
}

/**
 * The reason for ending an exchange whose answer is no longer needed; made once, because a stack costs more than the
 * rest of it.
 */
const ended: Error = new DOMException("the exchange was ended", "AbortError");

/** An answer whose body is still unread, with its attempt, which must be disposed afterwards. */
export interface OpenAnswer {
  readonly response: HttpResponse;
  readonly attempt: Attempt;
}

/** Reads an answer whose body may have at most `maxBytes`. */
export type ReadAnswer<T> = (response: HttpResponse, maxBytes: number) => Promise<T>;

export interface Exchange {
  readonly settings: ExchangeSettings;
  /** Sends until there is a success, and reads it. Rejects with StatusError or ConnectionError, which name the call. */
  run<T>(built: BuiltRequest, options: CallOptions, read: ReadAnswer<T>): Promise<T>;
  /** As `run`, for a body that is read later. Only the time to the headers is limited. */
  open(built: BuiltRequest, options: CallOptions): Promise<OpenAnswer>;
}

function redirected(code: number, location: string): ConnectionError {
  const where = JSON.stringify(location.slice(0, 200));
  return new ConnectionError(
    "malformed",
    `the server answers ${code} and redirects to ${where}, which no API server does`,
  );
}

export function createExchange(settings: ExchangeSettings): Exchange {
  const { clock, random, retry, transport, limiter, limits, attempts } = settings;
  const withAgent = headerMerger({ "user-agent": settings.userAgent });
  /** Attempts for reuse: their answers were read to the end without an error. */
  const spare: Attempt[] = [];
  const trace = settings.rememberCalls ? new CallTrace() : undefined;

  async function exchange<T>(
    { request: asked, title }: BuiltRequest,
    options: CallOptions,
    use: (answer: OpenAnswer) => T | Promise<T>,
  ): Promise<T> {
    const site = trace?.site();
    const signal = options.signal ?? nobody;
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
    const request = { ...asked, headers: withAgent(asked.headers) };
    const attempted = { method: request.method, asked: 0, disconnected: 0 };
    for (;;) {
      if (signal.aborted) throw abortReason(signal);
      if (limiter !== undefined) await limiter.take(signal);
      const attempt = spare.pop() ?? new Attempt(clock);
      attempt.begin(options.signal);
      const startedAt = clock.monotonic();
      let code = 0;
      let delayMs: number | undefined;
      try {
        attempt.limit(timeoutMs, () => new ConnectionError("timeout", `no answer within ${timeoutMs} ms`));
        const response = await transport(request, attempt.signal);
        code = response.status;
        warn(settings, title, response);
        if (code < 300) return await use({ response, attempt });
        delayMs = await refused(title, response, attempted);
        attempted.asked++;
      } catch (error) {
        attempt.end();
        if (signal.aborted) throw abortReason(signal);
        delayMs = delayWhenDisconnected(retry, attempted, { error, random });
        if (delayMs === undefined) throw calledFrom(inCall(title, error), site);
        attempted.disconnected++;
      } finally {
        for (const tell of attempts)
          tell({ method: request.method, title, code, durationMs: clock.monotonic() - startedAt });
      }
      attempt[Symbol.dispose]();
      if (delayMs > 0) await clock.sleep(delayMs, signal);
    }
  }

  /** The delay before the next attempt; throws the server's refusal if there is none. */
  async function refused(
    title: string,
    response: HttpResponse,
    attempted: { readonly method: string; readonly asked: number; readonly disconnected: number },
  ): Promise<number> {
    const body = await readAll(response.body, limits.answerBytes);
    const retryAfter = headerOf(response, "retry-after");
    const delayMs = delayWhenAsked(retry, attempted, { code: response.status, retryAfter });
    if (delayMs !== undefined) return delayMs;
    const contentType = headerOf(response, "content-type");
    if (response.status < 400) throw redirected(response.status, headerOf(response, "location") ?? "");
    throw refusedCall(title, statusOfAnswer({ code: response.status, method: attempted.method, body, contentType }));
  }

  const send = traced(exchange);
  return {
    settings,
    run: (built, options, read) =>
      send(built, options, async ({ response, attempt }) => {
        const result = await read(response, limits.answerBytes);
        attempt[Symbol.dispose]();
        if (spare.length < 64) spare.push(attempt);
        return result;
      }),
    open: (built, options) =>
      send(built, options, (answer) => {
        answer.attempt.limit(0, neverNeeded);
        return answer;
      }),
  };
}

/** Sends a request until there is an answer below 400, and gives what `use` makes of it. */
type Send = <T>(built: BuiltRequest, options: CallOptions, use: (answer: OpenAnswer) => T | Promise<T>) => Promise<T>;

/** The same, followed by a tracer, which may add headers. */
function traced(send: Send): Send {
  return (built, options, use) => {
    const { request, title, target } = built;
    return requestPoint.around(
      () => ({ method: request.method, path: request.path, title, verb: target?.verb, headers: {}, status: 0 }),
      (facts) => {
        if (facts === undefined) return send(built, options, use);
        const headers = { ...request.headers, ...facts.headers };
        return send({ ...built, request: { ...request, headers } }, options, (answer) => {
          facts.status = answer.response.status;
          return use(answer);
        });
      },
    );
  };
}

function neverNeeded(): ConnectionError {
  return new ConnectionError("timeout", "no limit");
}

/** Adds the same headers to those of each request, which win. Like requests share their headers object, and so the result. */
export function headerMerger(added: HttpHeaders): (headers: HttpHeaders) => HttpHeaders {
  const sums = new WeakMap<HttpHeaders, HttpHeaders>();
  return (headers) => {
    let sum = sums.get(headers);
    if (sum === undefined) sums.set(headers, (sum = { ...added, ...headers }));
    return sum;
  };
}

function headerOf(response: Pick<HttpResponse, "headers">, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Passes on warnings such as `299 - "unknown field"`: other codes are not meant for people. */
function warn({ onWarning }: ExchangeSettings, title: string, { headers }: HttpResponse): void {
  const warnings = headers["warning"];
  if (warnings === undefined || onWarning === undefined) return;
  for (const line of typeof warnings === "string" ? [warnings] : warnings) {
    for (const [, text] of line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
      onWarning((text as string).replaceAll(/\\(.)/g, "$1"), title);
    }
  }
}

/** The whole body; rejects as soon as it has more than `maxBytes`. */
export async function readAll(body: HttpBody, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): ConnectionError => oversized("the answer", "answerBytes", maxBytes);
  if (body instanceof Uint8Array) {
    if (body.length > maxBytes) throw tooLarge();
    return asBuffer(body);
  }
  if (body instanceof BodyQueue) return body.whole(maxBytes, tooLarge);
  return collected(body, maxBytes, tooLarge);
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export async function readJson<T>({ body }: HttpResponse, maxBytes: number): Promise<T> {
  return parseAnswer(await readText(body, maxBytes)) as T;
}

/** As `readJson`, for an object: a null member of a built-in kind is removed. */
export async function readObject<T>({ body }: HttpResponse, maxBytes: number): Promise<T> {
  const text = await readText(body, maxBytes);
  const object = parseAnswer(text);
  const isBuiltIn = typeof object === "object" && object !== null && hasNoNulls(object);
  return (isBuiltIn ? withoutNullMembers(object, text) : object) as T;
}

async function readText(body: HttpBody, maxBytes: number): Promise<string> {
  const isHere = body instanceof Uint8Array && body.length <= maxBytes;
  return (isHere ? asBuffer(body) : await readAll(body, maxBytes)).toString("utf8");
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(text, error);
  }
}

export function malformed(text: string, error: unknown): ConnectionError {
  const excerpt = JSON.stringify(text.slice(0, 80));
  const message = `the answer is not JSON: ${messageOf(error)}: ${excerpt}`;
  return new ConnectionError("malformed", message, { cause: error });
}
