/** A process for simulations: its clock is wrong, it can be stopped for a while, and its network can be slow or cut. */
import { abortReason, type Clock, type FakeClock, onAbort, type Random, sleepOn } from "../../src/base/index.js";

/** A clock is at most this much faster or slower than the world's. */
export const speedError = 0.03;
/** A message arrives within this time, or never. */
export const networkMs = 2_000;

/** Invariant: callbacks wait in `#waiting` only while the process is paused, in the order in which they came. */
export class UnsteadyProcess {
  readonly clock: Clock;
  readonly #world: FakeClock;
  readonly #random: Random;
  #paused = false;
  #waiting: (() => void)[] = [];
  /** While it is true, no message leaves or arrives. */
  cut = false;

  constructor(world: FakeClock, random: Random) {
    this.#world = world;
    this.#random = random;
    const speed = 1 + (random.next() * 2 - 1) * speedError;
    const offsetMs = random.int(20_000_000) - 10_000_000;
    this.clock = {
      now: () => world.now() * speed + offsetMs,
      monotonic: () => world.monotonic() * speed,
      timer: (ms, callback) => world.timer(ms / speed, () => this.#run(callback)),
      during: (work) => work(),
      sleep: (ms, signal) => sleepOn(this.clock, ms, signal),
    };
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const callback of waiting) callback();
  }

  /** A request that takes its time, an answer that does too; either may be lost, and giving up does not call the request back. */
  protected exchange<T>(serve: () => T, signal: AbortSignal): Promise<T> {
    const delay = (): number => (this.#random.int(5) === 0 ? this.#random.int(networkMs) : this.#random.int(60));
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const aborting = onAbort(signal, reject);
      if (this.cut) return;
      this.#world.timer(delay(), () => {
        const settle = settled(serve);
        if (this.cut) return;
        this.#world.timer(delay(), () =>
          this.#run(() => {
            if (this.cut) return;
            aborting[Symbol.dispose]();
            settle(resolve, reject);
          }),
        );
      });
    });
  }

  #run(callback: () => void): void {
    if (this.#paused) this.#waiting.push(callback);
    else callback();
  }
}

/** Serves now, and gives a function that tells the outcome later. */
function settled<T>(serve: () => T): (resolve: (value: T) => void, reject: (error: Error) => void) => void {
  try {
    const value = serve();
    return (resolve) => resolve(value);
  } catch (error) {
    return (_, reject) => reject(error as Error);
  }
}
