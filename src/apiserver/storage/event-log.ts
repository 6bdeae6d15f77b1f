/** The recent changes of one collection in revision order; compaction cuts it at the front, rollback at the back. */
import type { VersionEvent } from "./version-event.js";

/** The range of events to read, and its limit. */
export interface Stretch {
  readonly prefix: string;
  readonly after: number;
  readonly through: number;
  /** More than 0. Reading stops when the events' objects have this size. */
  readonly bytes: number;
}

/** All events of a stretch up to and including the revision `through`. */
export interface Batch {
  readonly events: readonly VersionEvent[];
  readonly through: number;
  /** The size of the events' objects. */
  readonly bytes: number;
}

export class EventLog {
  /** Events before `#start` were dropped; the array is compacted once they are half of it. */
  #events: VersionEvent[] = [];
  #start = 0;

  get size(): number {
    return this.#events.length - this.#start;
  }

  push(event: VersionEvent): void {
    this.#events.push(event);
  }

  /** Events with `after` < revision ≤ `through` and a key of the prefix: as many whole revisions as needed to reach `bytes`. */
  read({ prefix, after, through, bytes: enough }: Stretch): Batch {
    const events: VersionEvent[] = [];
    let bytes = 0;
    const end = this.#firstAfter(through);
    for (let i = this.#firstAfter(after); i < end; i++) {
      const event = this.#events[i] as VersionEvent;
      const last = events.at(-1)?.revision ?? after;
      if (bytes >= enough && event.revision > last) return { events, through: last, bytes };
      if (prefix !== "" && !event.key.startsWith(prefix)) continue;
      events.push(event);
      bytes += (event.current ?? event.previous)?.size ?? 0;
    }
    return { events, through, bytes };
  }

  /** Removes and gives the events up to and including the revision. */
  dropThrough(revision: number): readonly VersionEvent[] {
    const end = this.#firstAfter(revision);
    const dropped = this.#events.slice(this.#start, end);
    // the array must not keep dropped events alive
    this.#events.fill(undefined as never, this.#start, end);
    this.#start = end;
    if (this.#start > 64 && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
    return dropped;
  }

  /** Removes and gives the events after the revision, newest first. */
  dropAfter(revision: number): readonly VersionEvent[] {
    return this.#events.splice(this.#firstAfter(revision)).reverse();
  }

  #firstAfter(revision: number): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as VersionEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
