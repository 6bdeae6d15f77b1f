/** The runs of a controller that have not ended, and the overdue ones among them. */
import type { Clock, Timer } from "../../base/index.js";

/** A run that goes on although its time is over: it ignores its signal, and holds a worker. */
export interface OverdueRun {
  readonly key: string;
  readonly run: number;
  readonly runningMs: number;
}

export interface UnderWayOptions {
  readonly clock: Clock;
  /** After this time the signal of a run aborts. */
  readonly timeoutMs: number;
}

/** The time that a run has after its signal has aborted, e.g. to close a connection, before `onOverdue` is called. */
const graceMs = 1_000;

interface Run {
  readonly key: string;
  readonly run: number;
  readonly startedAt: number;
  readonly onOverdue: (runningMs: number) => void;
}

/**
 * Invariants:
 * 1. `#runs` is in the order of start; `#untold` has the runs among them whose `onOverdue` was not called.
 * 2. While `#untold` is not empty, `#timer` is set for its first run or earlier. It may be set for a run that has
 *    ended: one timer serves many runs.
 */
export class RunsUnderWay implements Disposable {
  readonly #options: UnderWayOptions;
  readonly #runs = new Set<Run>();
  readonly #untold = new Set<Run>();
  #timer: Timer | undefined;

  constructor(options: UnderWayOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#runs.size;
  }

  /** `onOverdue` is called once, if the run has not ended soon after its signal has aborted. Disposing marks the run as ended. */
  begin(run: Omit<Run, "startedAt">): Disposable {
    const begun = { startedAt: this.#options.clock.monotonic(), ...run };
    this.#runs.add(begun);
    this.#untold.add(begun);
    if (this.#timer === undefined) this.#arm(begun);
    return {
      [Symbol.dispose]: () => {
        this.#runs.delete(begun);
        this.#untold.delete(begun);
      },
    };
  }

  overdue(): readonly OverdueRun[] {
    const { clock, timeoutMs } = this.#options;
    const now = clock.monotonic();
    const overdue: OverdueRun[] = [];
    for (const { key, run, startedAt } of this.#runs) {
      const runningMs = now - startedAt;
      if (runningMs <= timeoutMs) break;
      overdue.push({ key, run, runningMs });
    }
    return overdue;
  }

  /** Drops the timer: `onOverdue` is not called until another run begins. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm({ startedAt }: Run): void {
    const { clock, timeoutMs } = this.#options;
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    this.#timer = clock.timer(startedAt + timeoutMs + graceMs - clock.monotonic(), () => this.#tell());
  }

  #tell(): void {
    const { clock, timeoutMs } = this.#options;
    this.#timer = undefined;
    for (const run of this.#untold) {
      const runningMs = clock.monotonic() - run.startedAt;
      if (runningMs < timeoutMs + graceMs) return this.#arm(run);
      this.#untold.delete(run);
      run.onOverdue(runningMs);
    }
  }
}
