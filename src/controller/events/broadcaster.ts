/** Carries occurrences from recorders to sinks and watchers. A slow or missing server never slows recorders down. */
import {
  checkNumbers,
  type Clock,
  type Counter,
  type Logger,
  MetricsRegistry,
  type Random,
  type Running,
  silentLogger,
  systemClock,
  systemRandom,
  trackLeak,
} from "../../base/index.js";
import { eventNames, type EventReporter, type Occurrence } from "./occurrence.js";
import { type EventRecorder, eventRecorder } from "./recorder.js";
import { type EventOutcome, Recording } from "./recording.js";
import type { EventCorrelation } from "./sink.js";

export interface EventBroadcasterOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  /** The number of occurrences that may wait for a sink, 1000 by default; more are dropped and counted. */
  readonly queueLimit?: number;
  /** The time that stopping a sink may take to send waiting occurrences; 5 s by default. */
  readonly flushMs?: number;
}

/**
 * An occurrence reaches the sinks and watchers that existed when it was recorded. A sink gets them in order, one at a
 * time. Recorders notice no failure.
 */
export class EventBroadcaster {
  readonly #listeners = new Set<(occurrence: Occurrence) => void>();
  readonly #options: EventBroadcasterOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #outcomes: Counter<"outcome">;
  readonly #nameOf: (objectName: string, atMs: number) => string;

  constructor(options: EventBroadcasterOptions = {}) {
    checkNumbers("events", options, { queueLimit: { min: 1, endless: true }, flushMs: { endless: true } });
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? silentLogger;
    this.#nameOf = eventNames(this.#random);
    this.#outcomes = (options.metrics ?? new MetricsRegistry()).counter({
      name: "coxswain_events_total",
      help: "Recorded events, for each sink, by what became of them",
      labels: ["outcome"],
    });
  }

  newRecorder({ component, host = "" }: { readonly component: string; readonly host?: string }): EventRecorder {
    const reporter: EventReporter = { component, host };
    const accept = (occurrence: Occurrence): void => {
      for (const listener of this.#listeners) listener(occurrence);
    };
    return eventRecorder({ reporter, accept, nameOf: this.#nameOf, clock: this.#clock, log: this.#log });
  }

  /** The number of occurrences by outcome. */
  outcomes(): Readonly<Partial<Record<EventOutcome, number>>> {
    return Object.fromEntries([...this.#outcomes.series()].map(({ values, series }) => [values[0], series.value]));
  }

  /** Calls back for each occurrence from now on. */
  watch(handler: (occurrence: Occurrence) => void): Disposable {
    const listener = (occurrence: Occurrence): void => {
      try {
        handler(occurrence);
      } catch (error) {
        this.#log.error("a watcher of events failed", { error });
      }
    };
    this.#listeners.add(listener);
    const open = trackLeak("subscription", "a watcher of events");
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        open[Symbol.dispose]();
      },
    };
  }

  /** Sends to a server from now on. Disposing sends waiting occurrences, each with one attempt, for a limited time. */
  startRecordingToSink(correlation: EventCorrelation): Running {
    const { queueLimit = 1000, flushMs = 5_000 } = this.#options;
    const recording = new Recording({
      correlation,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      queueLimit,
      flushMs,
      count: (outcome) => this.#outcomes.with({ outcome }).inc(),
    });
    const listening = this.watch((occurrence) => recording.offer(occurrence));
    const close = async (): Promise<void> => {
      listening[Symbol.dispose]();
      await recording.close();
    };
    return { done: recording.done, close, [Symbol.asyncDispose]: close };
  }
}
