/**
 * The recent changes of one collection in revision order; compaction cuts it at the front, rollback at the back. A fork
 * shares the changes up to then.
 */
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

/** Invariant: the events are those of `#shared` from `#start` on, and then those of `#own`. Nobody changes `#shared`. */
export class EventLog {
  /** Events before `#start` were dropped; they are cut off once they are half of all. */
  #own: VersionEvent[] = [];
  #shared: readonly VersionEvent[] = [];
  #start = 0;

  push(event: VersionEvent): void {
    this.#own.push(event);
  }

  /** A log with the same events; events that one of the two gets from now on are not in the other. */
  fork(): EventLog {
    if (this.#own.length > 0) {
      this.#shared = [...this.#shared, ...this.#own].slice(this.#start);
      this.#own = [];
      this.#start = 0;
    }
    const fork = new EventLog();
    fork.#shared = this.#shared;
    fork.#start = this.#start;
    return fork;
  }

  /** Events with `after` < revision ≤ `through` and a key of the prefix: as many whole revisions as needed to reach `bytes`. */
  read({ prefix, after, through, bytes: enough }: Stretch): Batch {
    const events: VersionEvent[] = [];
    let bytes = 0;
    const end = this.#firstAfter(through);
    for (let i = this.#firstAfter(after); i < end; i++) {
      const event = this.#at(i);
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
    const dropped: VersionEvent[] = [];
    for (let i = this.#start; i < end; i++) dropped.push(this.#at(i));
    // the array must not keep dropped events alive
    this.#own.fill(
      undefined as never,
      Math.max(0, this.#start - this.#shared.length),
      Math.max(0, end - this.#shared.length),
    );
    this.#start = end;
    if (this.#start > 64 && this.#start * 2 > this.#end) {
      this.#own = this.#own.slice(Math.max(0, this.#start - this.#shared.length));
      this.#shared = this.#shared.slice(this.#start);
      this.#start = 0;
    }
    return dropped;
  }

  /** Removes and gives the events after the revision, newest first. None of them may be older than the last fork. */
  dropAfter(revision: number): readonly VersionEvent[] {
    return this.#own.splice(this.#firstAfter(revision) - this.#shared.length).reverse();
  }

  get #end(): number {
    return this.#shared.length + this.#own.length;
  }

  #at(index: number): VersionEvent {
    const own = index - this.#shared.length;
    return (own < 0 ? this.#shared[index] : this.#own[own]) as VersionEvent;
  }

  #firstAfter(revision: number): number {
    let low = this.#start;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
