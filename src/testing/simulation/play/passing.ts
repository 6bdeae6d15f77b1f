/** Lets the virtual time of a world pass, from timer to timer; everything that needs no time happens in between. */
import type { FakeClock } from "../../../base/index.js";

/** A wait that takes longer is given up, so that a scenario may last for a day. */
const longestMs = 30 * 3_600_000;

export class Passing {
  readonly #clock: FakeClock;
  readonly #onTurn: () => void;

  /** Calls `onTurn` after each step of time. */
  constructor(clock: FakeClock, onTurn: () => void = () => {}) {
    this.#clock = clock;
    this.#onTurn = onTurn;
  }

  /** Lets time pass until the promise settles. Rejects if the promise waits for anything but the clock. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const clock = this.#clock;
    let isOver = false;
    const end = (): void => void (isOver = true);
    promise.then(end, end);
    const limit = clock.monotonic() + longestMs;
    await this.#step(0);
    while (!isOver) {
      if (clock.nextTimerMs === undefined)
        throw new Error("it waits for something that is neither the cluster nor the clock");
      await this.#step(Number.POSITIVE_INFINITY);
      if (clock.monotonic() > limit) throw new Error(`it did not end within ${longestMs / 3_600_000} hours`);
    }
    return promise;
  }

  async pass(ms: number): Promise<void> {
    const clock = this.#clock;
    const until = clock.monotonic() + ms;
    await this.#step(0);
    while (clock.monotonic() < until) await this.#step(until - clock.monotonic());
  }

  /** Lets everything happen that needs no time, and then moves to the next timer, but by at most the given time. */
  async #step(mostMs: number): Promise<void> {
    await (mostMs === 0 ? this.#clock.advance(0) : this.#clock.advanceToNext(mostMs));
    this.#onTurn();
  }
}
