/** The clock that tests own: time moves only when told, and wakes sleepers in order. */
import { Heap } from "../heap.js";
import { trackLeak } from "../leaks.js";
import { checkNumber } from "../numbers.js";
import { checkWait, type Clock, sleepOn, type Timer } from "./clock.js";

interface Pending {
  readonly id: number;
  readonly dueMs: number;
  readonly callback: () => void;
  readonly open: Disposable;
}

export interface FakeClockOptions {
  /** Wall time at the start; 2020-01-01T00:00:00Z unless told. */
  readonly startMs?: number;
}

/** Enough for what a change causes in a program of controllers. */
const passSteps = 50;

/**
 * Timers fire in the order of their due times, and in the order of their making when those are equal. Between two of
 * them the microtasks, and what was scheduled with setImmediate, run to their end, so that a callback sees everything
 * that earlier ones caused. The same program therefore does the same steps each time, whatever the machine.
 *
 * Invariants:
 * 1. No pending timer is due before `#elapsedMs`.
 * 2. `#elapsedMs` never goes back; only `jumpWall` moves wall time without it.
 */
export class FakeClock implements Clock {
  readonly #timers = new Heap<Pending, number>({
    compare: (a, b) => a.dueMs - b.dueMs || a.id - b.id,
    key: (timer) => timer.id,
  });
  #elapsedMs = 0;
  #wallStartMs: number;
  #nextId = 0;
  #advancing = false;

  constructor(options: FakeClockOptions = {}) {
    this.#wallStartMs = options.startMs ?? Date.UTC(2020, 0, 1);
  }

  now(): number {
    return this.#wallStartMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timer(ms: number, callback: () => void): Timer {
    checkWait(ms);
    const id = this.#nextId++;
    const open = trackLeak("timer", () => `${ms} ms on a FakeClock`);
    this.#timers.push({ id, dueMs: this.#elapsedMs + (ms > 0 ? ms : 0), callback, open });
    return { [Symbol.dispose]: () => this.#timers.remove(id)?.open[Symbol.dispose]() };
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** How long until the next timer is due; undefined if there is none. */
  get nextTimerMs(): number | undefined {
    const next = this.#timers.peek();
    return next && next.dueMs - this.#elapsedMs;
  }

  /** Moves time by `ms`, firing what falls due on the way, timers made on the way included. */
  async advance(ms: number): Promise<void> {
    checkNumber("the time to advance by", ms);
    if (this.#advancing) throw new Error("this clock is already advancing: await the first advance before the next");
    this.#advancing = true;
    try {
      const targetMs = this.#elapsedMs + ms;
      await settle();
      for (let next = this.#timers.peek(); next !== undefined && next.dueMs <= targetMs; next = this.#timers.peek()) {
        this.#timers.pop();
        this.#elapsedMs = next.dueMs;
        next.open[Symbol.dispose]();
        next.callback();
        await settle();
      }
      this.#elapsedMs = targetMs;
    } finally {
      this.#advancing = false;
    }
  }

  /**
   * Moves time by `ms` in small steps, with turns of the event loop between them: what one change causes (a request, an event, a
   * reconcile, another request) has happened before time has run away from it. For whole programs; `advance` is for single timers.
   */
  async pass(ms: number): Promise<void> {
    checkNumber("the time to pass", ms);
    const startMs = this.#elapsedMs;
    for (let step = 1; step <= passSteps; step++) {
      await this.advance(Math.max(0, startMs + (ms * step) / passSteps - this.#elapsedMs));
    }
  }

  /** Drops every pending timer: what waited on this clock has died, as in a simulated crash, and is not to be cleaned up. */
  abandon(): void {
    for (const timer of this.#timers.values()) timer.open[Symbol.dispose]();
    this.#timers.clear();
  }

  /** Changes wall time alone, as an administrator or NTP does; timers and `monotonic` do not notice. */
  jumpWall(ms: number): void {
    this.#wallStartMs += ms;
  }
}

/** One turn of the event loop: every microtask, and every setImmediate callback that is already waiting, has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
