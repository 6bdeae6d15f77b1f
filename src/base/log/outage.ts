/** Logs repeated failures in few lines: the first, at most one a minute, and the end. */
import type { Clock } from "../time/clock.js";
import type { Fields, Logger } from "./log.js";

export interface OutageLogOptions {
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
  /** The log message of a failure: `list or watch failed, trying again`. */
  readonly failing: string;
  /** The log message of the end of the outage: `list and watch work again`. */
  readonly over: string;
}

const minuteMs = 60_000;

/**
 * Invariants:
 * 1. At most one line about failures is written a minute, even if attempts in between succeed.
 * 2. `#untold` counts the failures since the last such line; `#sinceMs` is the time of the first failure that no
 *    success has followed.
 * 3. The end of an outage is logged only if one of its failures was.
 */
export class OutageLog {
  readonly #options: OutageLogOptions;
  #untold = 0;
  #sinceMs: number | undefined;
  #toldMs = Number.NEGATIVE_INFINITY;
  #isTold = false;

  constructor(options: OutageLogOptions) {
    this.#options = options;
  }

  failed(fields: Fields): void {
    const { logger, clock, failing } = this.#options;
    const nowMs = clock.monotonic();
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#toldMs < minuteMs) {
      this.#untold++;
      return;
    }
    const more = this.#untold === 0 ? {} : { failuresBefore: this.#untold };
    this.#toldMs = nowMs;
    this.#untold = 0;
    this.#isTold = true;
    logger.warn(failing, { ...fields, ...more });
  }

  /** A failure that somebody else reports: only the end of the outage is logged here. */
  failedElsewhere(): void {
    this.#sinceMs ??= this.#options.clock.monotonic();
    this.#isTold = true;
  }

  worked(): void {
    if (this.#sinceMs === undefined) return;
    const { logger, clock, over } = this.#options;
    const lastedMs = Math.round(clock.monotonic() - this.#sinceMs);
    this.#sinceMs = undefined;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#untold = 0;
    logger.info(over, { lastedMs });
  }
}
