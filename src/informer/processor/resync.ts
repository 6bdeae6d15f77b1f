/** The arithmetic of resyncs: when each handler is shown everything again. */

/** The least resync period of a handler. */
const minimumResyncMs = 1000;

/** A handler's effective resync period, given the informer's check period. 0 for never. */
function effectiveResyncMs(requestedMs: number, checkMs: number): number {
  if (requestedMs === 0 || checkMs === 0) return 0;
  return Math.max(requestedMs, checkMs);
}

/**
 * The informer's check period after a handler with this period was added: before the start it follows the handler with
 * the shortest period; afterwards it is fixed, and the handler is slowed down to it.
 */
export function checkPeriodAfter(requestedMs: number, checkMs: number, started: boolean): number {
  if (requestedMs === 0 || checkMs === 0 || started) return checkMs;
  return Math.min(Math.max(requestedMs, minimumResyncMs), checkMs);
}

/**
 * One handler's plan. Checked on every tick of the informer, so in effect the period is rounded up to a multiple of the
 * check period. `isSyncing` tells whether updates without a change are delivered now: true until the first tick.
 */
export class ResyncPlan {
  readonly #requestedMs: number;
  #periodMs: number;
  #nextMs: number;
  isSyncing = true;

  constructor(requestedMs: number, checkMs: number, nowMs: number) {
    this.#requestedMs = requestedMs === 0 ? 0 : Math.max(requestedMs, minimumResyncMs);
    this.#periodMs = effectiveResyncMs(this.#requestedMs, checkMs);
    this.#nextMs = nowMs + this.#periodMs;
  }

  checkPeriodChanged(checkMs: number): void {
    this.#periodMs = effectiveResyncMs(this.#requestedMs, checkMs);
  }

  /** Called at each tick: true if this handler is due; its next time is then set. */
  tick(nowMs: number): boolean {
    this.isSyncing = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isSyncing) this.#nextMs = nowMs + this.#periodMs;
    return this.isSyncing;
  }
}
