/** Sends occurrences to one sink: takes them without ever blocking, writes them in order. */
import { isAlreadyExists, StatusError } from "../../api/index.js";
import { type Clock, type Logger, type Random, Ring, type Running, type Timer } from "../../base/index.js";
import type { Occurrence } from "./occurrence.js";
import type { EventCorrelation, EventWrite } from "./sink.js";

/** The outcome of an occurrence. */
export type EventOutcome = "sent" | "counted" | "filtered" | "dropped" | "rejected" | "failed";

export interface RecordingOptions {
  readonly correlation: EventCorrelation;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The number of occurrences that may wait; more are dropped. */
  readonly queueLimit: number;
  /** The time for sending waiting occurrences at the end. */
  readonly flushMs: number;
  readonly count: (outcome: EventOutcome) => void;
}

const maxAttempts = 12;

export class Recording implements Running {
  readonly done: Promise<void>;
  readonly #options: RecordingOptions;
  readonly #queue = new Ring<Occurrence>();
  /** Aborts at the stop: from then on there is one attempt for each. */
  readonly #stop = new AbortController();
  /** Aborts when the time for flushing is over. */
  readonly #cutOff = new AbortController();
  #wake: (() => void) | undefined;
  /** The number of occurrences that were given up because the time for flushing was over. */
  #unsent = 0;
  #ending: Promise<void> | undefined;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.done = this.#run();
  }

  offer(occurrence: Occurrence): void {
    const { queueLimit, count, log } = this.#options;
    if (this.#queue.length >= queueLimit) {
      count("dropped");
      log.warn("event dropped: too many wait to be sent", { reason: occurrence.reason });
      return;
    }
    this.#queue.push(occurrence);
    this.#wake?.();
  }

  /** Sends waiting occurrences, each with one attempt, within `flushMs`. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const { clock, flushMs, log } = this.#options;
    const timer = clock.timer(flushMs, () => this.#cutOff.abort(new Error("no time is left to send events")));
    this.#stop.abort();
    this.#wake?.();
    await this.done;
    timer[Symbol.dispose]();
    if (this.#unsent > 0) log.warn("stopped with events that were not sent", { events: this.#unsent, flushMs });
  }

  async #run(): Promise<void> {
    const { correlation, clock, count } = this.#options;
    const { dueEveryMs = Number.POSITIVE_INFINITY } = correlation;
    let dueAt = clock.monotonic() + dueEveryMs;
    while (this.#queue.length > 0 || !this.#stop.signal.aborted) {
      const occurrence = this.#queue.shift();
      if (occurrence === undefined) await this.#waitUntil(dueAt);
      else {
        const write = correlation.correlate(occurrence);
        if (typeof write === "string") count(write);
        else await this.#send(write);
      }
      if (clock.monotonic() < dueAt) continue;
      dueAt = clock.monotonic() + dueEveryMs;
      for (const write of correlation.due(clock.now(), { final: false })) await this.#send(write);
    }
    for (const write of correlation.due(clock.now(), { final: true })) await this.#send(write);
  }

  async #send(write: EventWrite): Promise<void> {
    const { correlation, clock, random, count, log } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await write.send(this.#cutOff.signal);
        return count("sent");
      } catch (error) {
        if (this.#cutOff.signal.aborted) {
          this.#unsent++;
          return count("failed");
        }
        const fields = { ...write.description, attempt, error };
        if (isFinal(error, write)) {
          log[isOrdinary(error) ? "debug" : "error"]("server rejected event, will not retry", fields);
          return count("rejected");
        }
        if (this.#stop.signal.aborted || attempt >= maxAttempts) {
          log.error("event not written", fields);
          return count("failed");
        }
        log.warn("event not written, will retry", fields);
      }
      // the stop ends the wait, and the last attempt follows at once
      await clock.sleep(correlation.retryDelayMs(attempt, random.next()), this.#stop.signal).catch(() => {});
    }
  }

  /** Waits until that time, or until an occurrence arrives or the stop comes. */
  async #waitUntil(dueAt: number): Promise<void> {
    const { clock } = this.#options;
    const leftMs = dueAt - clock.monotonic();
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (leftMs !== Number.POSITIVE_INFINITY) timer = clock.timer(leftMs, resolve);
    });
    this.#wake = undefined;
    timer?.[Symbol.dispose]();
  }
}

/** True if a retry cannot help: an overloaded or broken server may answer otherwise next time, any other refusal is final. */
function isFinal(error: unknown, write: EventWrite): boolean {
  if (!(error instanceof StatusError)) return false;
  if (isAlreadyExists(error)) return !write.retryIfExists;
  return error.code < 500 && error.code !== 429;
}

/** True for errors that are ordinary in a healthy cluster. */
function isOrdinary(error: unknown): boolean {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return isAlreadyExists(error) || causes.some(({ reason }) => reason === "NamespaceTerminating");
}
