/** Sends audit events in batches to a webhook, with retries; a slow or absent one costs events, never requests. */
import {
  type Clock,
  exponentialBackoff,
  type Logger,
  OutageLog,
  type Random,
  type Timer,
  TokenBucket,
} from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import { ConfigurationError } from "../configuration/section.js";
import type { HookEndpoint } from "../configuration/kubeconfig.js";
import { KeptConnections } from "../outbound/kept-connections.js";
import { postTo } from "../outbound/post.js";
import { type AuditSink, EventQueue, type EventText } from "./sink.js";

/** kube-apiserver's flags `--audit-webhook-…`, with its defaults. */
export interface AuditWebhookOptions {
  readonly endpoint: HookEndpoint;
  /** The most events of one request. Default 400. */
  readonly maxBatchSize?: number;
  /** The pause before a failed batch is sent again; it grows by half each time, four times. Default 10 s. */
  readonly initialBackoffMs?: number;
}

interface WebhookParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called for each event that is lost. */
  lost(): void;
}

const attempts = 5;
/** The longest time that an event waits for others to be sent with. */
const maxWaitMs = 30_000;
const requestTimeoutMs = 30_000;
/** The time that the last events have when the server stops. */
const farewellMs = 5_000;
/** Events may wait up to this number; further ones are dropped. */
const maxEvents = 10_000;
const maxBytes = 64 * 1024 * 1024;
const rate = { ratePerSecond: 10, burst: 15 };

/**
 * Invariants:
 * 1. At most one batch is on its way: `#running` until no full batch is left.
 * 2. While events wait and no batch is on its way, `#timer` is set.
 */
export class AuditWebhook implements AuditSink {
  readonly #options: Required<AuditWebhookOptions>;
  readonly #parts: WebhookParts;
  readonly #queue: EventQueue;
  readonly #outage: OutageLog;
  readonly #bucket: TokenBucket;
  readonly #stop = new AbortController();
  /** Aborts when a server that stops waits no longer for the last answer. */
  readonly #cut = new AbortController();
  readonly #connections = new KeptConnections();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AuditWebhookOptions, parts: WebhookParts) {
    this.#options = { maxBatchSize: 400, initialBackoffMs: 10_000, ...options };
    for (const name of ["maxBatchSize", "initialBackoffMs"] as const) {
      if (!(this.#options[name] > 0)) throw new ConfigurationError(`audit.webhook.${name}: must be a positive number`);
    }
    this.#parts = parts;
    const { clock, log: logger } = parts;
    this.#queue = new EventQueue({ maxEvents, maxBytes, dropped: () => parts.lost() });
    const words = { failing: "the audit webhook took no events", over: "the audit webhook takes events again" };
    this.#outage = new OutageLog({ logger, clock, ...words });
    this.#bucket = new TokenBucket({ ...rate, clock });
  }

  take(event: EventText): void {
    this.#queue.push(event);
    if (this.#queue.size >= this.#options.maxBatchSize) this.#begin();
    else if (this.#running === undefined) this.#wait();
  }

  #wait(): void {
    this.#timer ??= this.#parts.clock.timer(maxWaitMs, () => this.#begin());
  }

  #begin(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#running !== undefined || this.#stop.signal.aborted) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#queue.size > 0 && !this.#stop.signal.aborted) this.#wait();
    });
  }

  async #run(): Promise<void> {
    const { maxBatchSize } = this.#options;
    do {
      await this.#deliver(this.#queue.shift(maxBatchSize));
    } while (this.#queue.size >= maxBatchSize && !this.#stop.signal.aborted);
  }

  /** Tries again after each failure, until the attempts are used up or the server stops. Never rejects. */
  async #deliver(events: readonly EventText[]): Promise<void> {
    const { signal } = this.#stop;
    const backoff = exponentialBackoff({
      baseMs: this.#options.initialBackoffMs,
      factor: 1.5,
      jitter: 0.2,
      random: this.#parts.random,
    });
    for (let attempt = 1; attempt <= attempts; attempt++) {
      try {
        await this.#pause(this.#bucket.reserve().delayMs);
        return await this.#send(events);
      } catch (error) {
        this.#outage.failed({ error });
        if (signal.aborted) break;
        if (attempt < attempts) await this.#pause(backoff.next());
      }
    }
    for (const _ of events) this.#parts.lost();
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#stop;
    if (ms > 0 && !signal.aborted) await this.#parts.clock.sleep(ms, signal).catch(() => {});
  }

  async #send(events: readonly EventText[]): Promise<void> {
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.join(",")}]}`;
    const late = "the time for the request is over";
    using request = timeLimit(this.#parts.clock, requestTimeoutMs, late, this.#cut.signal);
    const { status } = await postTo(this.#options.endpoint, body, {
      connections: this.#connections,
      signal: request.signal,
    });
    if (status < 200 || status > 299) throw new Error(`the webhook answered with status ${status}`);
    this.#outage.worked();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the server is stopping"));
    this.#timer?.[Symbol.dispose]();
    using _limit = this.#parts.clock.timer(farewellMs, () => this.#cut.abort(new Error("the server has stopped")));
    await this.#running;
    while (this.#queue.size > 0) await this.#deliver(this.#queue.shift(this.#options.maxBatchSize));
    this.#connections[Symbol.dispose]();
  }
}
