/** A rate limit with bursts (token bucket): gives permission now or after a delay. */
import { checkNumbers } from "../options/numbers.js";
import { type Clock, systemClock } from "./clock.js";

export interface TokenBucketOptions {
  /** The tokens that come back each second; Infinity never limits, 0 never refills. */
  readonly ratePerSecond: number;
  /** The tokens that the bucket holds; it starts full. */
  readonly burst: number;
  readonly clock?: Clock;
}

/** Tolerance for rounding errors when fractions of tokens are added up. */
const rounding = 1e-9;

/** A place in line: the holder may act after `delayMs`, or give the place back. */
export interface Reservation {
  /** Counted from the reservation; 0 means at once, Infinity never. */
  readonly delayMs: number;
  /** Gives the tokens back if the holder's time has not come, for a holder that will not act. */
  cancel(): void;
}

/**
 * In any span of t seconds at most burst + rate·t tokens are given. Reservations are served in the order in which they
 * were made: each one borrows from the future, so that the next one waits longer.
 *
 * Invariant: `#tokens` is the balance at `#atMs`. It is at most `#burst`, and negative by the number of tokens that are
 * promised but not yet earned.
 */
export class TokenBucket {
  readonly #ratePerMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(options: TokenBucketOptions) {
    const rules = { ratePerSecond: { endless: true }, burst: { endless: true } };
    checkNumbers("a token bucket", options, rules);
    this.#ratePerMs = options.ratePerSecond / 1000;
    this.#burst = options.burst;
    this.#clock = options.clock ?? systemClock;
    this.#tokens = options.burst;
    this.#atMs = this.#clock.monotonic();
  }

  /** Takes `count` tokens if all of them are there now; otherwise takes none. */
  tryTake(count = 1): boolean {
    if (this.#ratePerMs === Number.POSITIVE_INFINITY) return true;
    this.#refill();
    if (this.#tokens + rounding < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes a place in line. The delay is Infinity for more tokens than the burst, which can never be available at once. */
  reserve(count = 1): Reservation {
    if (this.#ratePerMs === Number.POSITIVE_INFINITY) return { delayMs: 0, cancel: () => {} };
    this.#refill();
    const missing = count - this.#tokens;
    if (count > this.#burst || (missing > 0 && this.#ratePerMs <= 0)) {
      return { delayMs: Number.POSITIVE_INFINITY, cancel: () => {} };
    }
    this.#tokens -= count;
    const delayMs = missing > rounding ? missing / this.#ratePerMs : 0;
    const dueAt = this.#atMs + delayMs;
    let held = true;
    return {
      delayMs,
      cancel: () => {
        if (!held || (delayMs > 0 && this.#clock.monotonic() >= dueAt)) return;
        held = false;
        this.#refill();
        this.#tokens = Math.min(this.#tokens + count, this.#burst);
      },
    };
  }

  /** Waits for one token. Aborting gives the place in line back. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const place = this.reserve();
    if (place.delayMs <= 0) return;
    try {
      await this.#clock.sleep(place.delayMs, signal);
    } catch (error) {
      place.cancel();
      throw error;
    }
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#atMs) * this.#ratePerMs);
    this.#atMs = now;
  }
}
