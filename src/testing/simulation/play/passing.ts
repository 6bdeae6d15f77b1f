/** Lets the virtual time of a world pass, from timer to timer; everything that needs no time happens in between. */
import type { FakeClock } from "../../../base/index.js";
import type { TestCluster } from "../../cluster.js";

/** Turns of the event loop without a request, an answer or a write, after which time may go on. */
const quietTurns = 4;
/** A wait that takes longer is given up. */
const longestMs = 4 * 3_600_000;

export interface PassingOptions {
  readonly cluster: TestCluster<FakeClock>;
  /** A number that changes with each request, answer and event. */
  readonly activity?: () => number;
  /** Called after each turn of the event loop. */
  readonly onTurn?: () => void;
}

export class Passing {
  readonly #options: PassingOptions;

  constructor(options: PassingOptions) {
    this.#options = options;
  }

  /** Lets time pass until the promise settles. Rejects if the promise waits for anything but the cluster and its clock. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const { clock } = this.#options.cluster;
    let isOver = false;
    const end = (): void => void (isOver = true);
    promise.then(end, end);
    const limit = clock.monotonic() + longestMs;
    while (!isOver) {
      if (!(await this.#step(() => isOver)))
        throw new Error("it waits for something that is neither the cluster nor the clock");
      if (clock.monotonic() > limit) throw new Error(`it did not end within ${longestMs / 3_600_000} hours`);
    }
    return promise;
  }

  async pass(ms: number): Promise<void> {
    const { clock } = this.#options.cluster;
    const until = clock.monotonic() + ms;
    while (clock.monotonic() < until && (await this.#step(() => false, until)));
  }

  /**
   * Lets everything happen that needs no time; then moves to the next timer, but not beyond `untilMs`. False if there
   * is no timer.
   */
  async #step(isOver: () => boolean, untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { cluster, activity, onTurn } = this.#options;
    const { clock, server } = cluster;
    for (let quiet = 0, seen = -1; quiet < quietTurns; ) {
      await clock.advance(0);
      onTurn?.();
      if (isOver()) return true;
      const now = server.store.revision + (activity?.() ?? 0);
      quiet = now === seen ? quiet + 1 : 0;
      seen = now;
    }
    const next = clock.nextTimerMs;
    if (next === undefined) return false;
    await clock.advance(Math.min(next, untilMs - clock.monotonic()));
    return true;
  }
}
