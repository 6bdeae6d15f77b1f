/** Growing delays by id, forgotten after a quiet time. */
import { checkNumbers } from "../options/numbers.js";
import { type Random, systemRandom } from "../random.js";
import { type Clock, systemClock } from "./clock.js";

export interface KeyedBackoffOptions {
  /** The first delay of an id, before jitter. */
  readonly baseMs: number;
  /** The delay stops growing here. An id without a failure for twice this time begins anew. */
  readonly maxMs: number;
  /** A delay d becomes uniform in [d, d + jitter·d); 0 (exact) by default. */
  readonly jitter?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Moments are wall time, in milliseconds since the epoch, because the moments of events may come from objects. Nothing
 * is collected by itself: a caller with many ids must call `gc` from time to time.
 */
export class KeyedBackoff<K> {
  readonly #options: Required<KeyedBackoffOptions>;
  readonly #entries = new Map<K, { readonly delayMs: number; readonly updatedMs: number }>();

  constructor(options: KeyedBackoffOptions) {
    checkNumbers("a backoff by id", options, { baseMs: {}, maxMs: {}, jitter: {} });
    this.#options = { jitter: 0, clock: systemClock, random: systemRandom, ...options };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The present delay of the id; 0 if it has none. */
  get(id: K): number {
    return this.#entries.get(id)?.delayMs ?? 0;
  }

  /** Records a failure of the id at `eventMs` (default: now): its delay doubles, or begins. Gives the delay. */
  next(id: K, eventMs: number = this.#options.clock.now()): number {
    const { baseMs, maxMs, jitter, clock, random } = this.#options;
    const known = this.#entries.get(id);
    const isFirst = known === undefined || this.#isOver(eventMs, known.updatedMs);
    const exactMs = isFirst ? baseMs : known.delayMs * 2;
    const spreadMs = jitter === 0 ? 0 : (isFirst ? baseMs : known.delayMs) * jitter * random.next();
    const delayMs = Math.min(exactMs + spreadMs, maxMs);
    this.#entries.set(id, { delayMs, updatedMs: clock.now() });
    return delayMs;
  }

  /** True if less than the id's delay has passed since the event. */
  isInBackOffSince(id: K, eventMs: number): boolean {
    const known = this.#entries.get(id);
    if (known === undefined || this.#isOver(eventMs, known.updatedMs)) return false;
    return this.#options.clock.now() - eventMs < known.delayMs;
  }

  /** True if the event came less than the id's delay after the id's last update. */
  isInBackOffSinceUpdate(id: K, eventMs: number): boolean {
    return this.leftMs(id, eventMs) > 0;
  }

  /** The rest of the id's delay at that moment, counted from the id's last update; 0 if it is over. */
  leftMs(id: K, eventMs: number): number {
    const known = this.#entries.get(id);
    if (known === undefined || this.#isOver(eventMs, known.updatedMs)) return 0;
    return Math.max(0, known.updatedMs + known.delayMs - eventMs);
  }

  /** Makes the next failure of the id its first. */
  reset(id: K): void {
    this.#entries.delete(id);
  }

  /** Forgets the ids that would begin anew anyway; gives their number. */
  gc(): number {
    const nowMs = this.#options.clock.now();
    let forgotten = 0;
    for (const [id, { updatedMs }] of this.#entries) {
      if (!this.#isOver(nowMs, updatedMs)) continue;
      this.#entries.delete(id);
      forgotten++;
    }
    return forgotten;
  }

  #isOver(eventMs: number, updatedMs: number): boolean {
    return eventMs - updatedMs > 2 * this.#options.maxMs;
  }
}
