/** Lets the virtual time of a world pass, from timer to timer; everything that needs no time happens in between. */
import type { FakeClock } from "../../../base/index.js";

/** A wait that takes longer is given up. */
const longestMs = 4 * 3_600_000;

export class Passing {
  readonly #clock: FakeClock;
  readonly #onTurn: () => void;

  /** Calls `onTurn` after each turn of the event loop. */
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
    await this.#turns(() => isOver);
    while (!isOver) {
      if (clock.nextTimerMs === undefined)
        throw new Error("it waits for something that is neither the cluster nor the clock");
      await this.#step(() => isOver);
      if (clock.monotonic() > limit) throw new Error(`it did not end within ${longestMs / 3_600_000} hours`);
    }
    return promise;
  }

  async pass(ms: number): Promise<void> {
    const clock = this.#clock;
    const until = clock.monotonic() + ms;
    await this.#turns(() => false);
    while (clock.monotonic() < until) await this.#step(() => false, until - clock.monotonic());
  }

  /** Moves to the next timer, and lets everything happen that needs no time. */
  async #step(isOver: () => boolean, mostMs = Number.POSITIVE_INFINITY): Promise<void> {
    await this.#clock.advanceToNext(mostMs);
    this.#onTurn();
    if (!isOver() && hasPendingTurn()) await this.#turns(isOver);
  }

  async #turns(isOver: () => boolean): Promise<void> {
    do {
      await this.#clock.advance(0);
      this.#onTurn();
    } while (!isOver() && hasPendingTurn());
  }
}

/** Whether a callback of setImmediate waits. Microtasks are all done between two turns, and timers are the clock's. */
const hasPendingTurn = (): boolean => process.getActiveResourcesInfo().includes("Immediate");
