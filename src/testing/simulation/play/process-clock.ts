/** The clock of one simulated process: the world's time, except for the pauses, jumps and drift of that process. */
import { type Clock, sleepOn, type Timer } from "../../../base/index.js";

/**
 * Invariants:
 * 1. While the process is paused, none of its timers fires; each that fell due meanwhile fires at the end of the pause.
 * 2. A jump changes wall time alone; timers and `monotonic` do not notice.
 * 3. `#ownMs` is the monotonic time of the process when the world's was `#sinceMs`; since then it runs at `#rate`. A timer
 *    keeps the rate with which it was set.
 */
export class ProcessClock implements Clock {
  readonly #world: Clock;
  #jumpMs = 0;
  #pausedUntilMs = 0;
  #rate = 1;
  #sinceMs = 0;
  #ownMs = 0;
  #pending = 0;

  constructor(world: Clock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now() + this.#jumpMs + Math.round(this.monotonic() - this.#world.monotonic());
  }

  monotonic(): number {
    return this.#ownMs + (this.#world.monotonic() - this.#sinceMs) * this.#rate;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#world.during(work);
  }

  timer(ms: number, callback: () => void): Timer {
    let current = this.#world.timer(Math.ceil(ms / this.#rate), () => due());
    let isPending = true;
    const over = (): void => {
      if (isPending) this.#pending -= 1;
      isPending = false;
    };
    const due = (): void => {
      if (this.isPaused) {
        current = this.#world.timer(this.#pausedUntilMs - this.#world.monotonic(), due);
        return;
      }
      over();
      callback();
    };
    this.#pending += 1;
    return {
      [Symbol.dispose]: () => {
        over();
        current[Symbol.dispose]();
      },
    };
  }

  /** The number of timers that are neither over nor disposed of. */
  get pendingTimers(): number {
    return this.#pending;
  }

  get isPaused(): boolean {
    return this.#world.monotonic() < this.#pausedUntilMs;
  }

  /** Resolves when the process is not paused. */
  async awake(): Promise<void> {
    while (this.isPaused) {
      await new Promise<void>((resolve) => {
        this.#world.timer(this.#pausedUntilMs - this.#world.monotonic(), resolve);
      });
    }
  }

  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#world.monotonic() + ms);
  }

  /** From now on the clock runs at this rate; 1 is right. */
  drift(rate: number): void {
    this.#ownMs = this.monotonic();
    this.#sinceMs = this.#world.monotonic();
    this.#rate = rate;
  }

  /** The sum of its jumps. */
  get jumpMs(): number {
    return this.#jumpMs;
  }

  jump(ms: number): void {
    this.#jumpMs += ms;
  }
}
