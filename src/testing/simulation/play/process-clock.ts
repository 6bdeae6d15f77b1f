/** The clock of one simulated process: the world's time, except for the pauses and jumps of that process. */
import { type Clock, sleepOn, type Timer } from "../../../base/index.js";

/**
 * Invariants:
 * 1. While the process is paused, none of its timers fires; each that fell due meanwhile fires at the end of the pause.
 * 2. A jump changes wall time alone; timers and `monotonic` do not notice.
 */
export class ProcessClock implements Clock {
  readonly #world: Clock;
  #jumpMs = 0;
  #pausedUntilMs = 0;

  constructor(world: Clock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now() + this.#jumpMs;
  }

  monotonic(): number {
    return this.#world.monotonic();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#world.during(work);
  }

  timer(ms: number, callback: () => void): Timer {
    let current = this.#world.timer(ms, () => due());
    const due = (): void => {
      if (this.isPaused) current = this.#world.timer(this.#pausedUntilMs - this.#world.monotonic(), due);
      else callback();
    };
    return { [Symbol.dispose]: () => current[Symbol.dispose]() };
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

  jump(ms: number): void {
    this.#jumpMs += ms;
  }
}
