/** The arithmetic of resyncs: when each handler is shown everything again. Serves the shared informer. */

/** No handler is resynced more often than this. */
const minimumResyncMs = 1000;

/** What a handler's resync period becomes, given how often the informer checks. 0 is never. */
function effectiveResyncMs(requestedMs: number, checkMs: number): number {
  if (requestedMs === 0 || checkMs === 0) return 0;
  return Math.max(requestedMs, checkMs);
}

/**
 * What adding a handler with this period does to the informer's check period: before the start the check period follows
 * the most eager handler; afterwards it is fixed, and the handler is slowed down to it.
 */
export function checkPeriodAfter(requestedMs: number, checkMs: number, started: boolean): number {
  if (requestedMs === 0 || checkMs === 0 || started) return checkMs;
  return Math.min(Math.max(requestedMs, minimumResyncMs), checkMs);
}

/**
 * One handler's plan. Looked at on every tick of the informer, so that in effect the period is rounded up to a multiple of
 * the check period. `isSyncing` says whether updates without a change are delivered now: true until the first tick.
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

  get periodMs(): number {
    return this.#periodMs;
  }

  checkPeriodChanged(checkMs: number): void {
    this.#periodMs = effectiveResyncMs(this.#requestedMs, checkMs);
  }

  /** At each tick: is this handler due? If it is, its next time is set. */
  tick(nowMs: number): boolean {
    this.isSyncing = this.#periodMs > 0 && nowMs >= this.#nextMs;
    if (this.isSyncing) this.#nextMs = nowMs + this.#periodMs;
    return this.isSyncing;
  }
}
