/** A place where audit events go, and the queue in front of it, which never makes a request wait. */

/** An event as JSON without kind and apiVersion, which a list of events does not repeat. */
export type EventText = string;

/** Disposing writes the events that wait, and closes files and connections. */
export interface AuditSink extends AsyncDisposable {
  /** Keeps the event, or drops and counts it if too many wait. */
  take(event: EventText): void;
}

export interface QueueOptions {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Called for each event that is dropped. */
  dropped(): void;
}

/**
 * Events that wait, within bounds.
 *
 * Invariant: `#bytes` is the length of all events in `#events`, and at most `maxBytes` unless there is one event only.
 */
export class EventQueue {
  readonly #options: QueueOptions;
  #events: EventText[] = [];
  #bytes = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#events.length;
  }

  push(event: EventText): void {
    const { maxEvents, maxBytes, dropped } = this.#options;
    const isFull = this.#events.length > 0 && this.#bytes + event.length > maxBytes;
    if (isFull || this.#events.length >= maxEvents) return dropped();
    this.#events.push(event);
    this.#bytes += event.length;
  }

  /** Removes and gives the oldest events. */
  shift(count: number): readonly EventText[] {
    const taken = this.#events.splice(0, count);
    for (const event of taken) this.#bytes -= event.length;
    return taken;
  }
}
