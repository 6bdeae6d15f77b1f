/** Counts initial adds until the last is handled: the basis of a registration's `hasSynced`. */

/**
 * Invariants:
 * 1. `#open` is the number of initial adds that are queued or being handled, never negative.
 * 2. Synced latches once upstream has handed over its whole initial list and `#open` is 0.
 */
export class SyncTracker {
  #open = 0;
  #upstreamSynced = false;
  #synced = false;
  readonly #waiting = new Set<() => void>();

  get hasSynced(): boolean {
    return this.#synced;
  }

  /** Called before the adds are queued, so that "synced" is not seen in between. */
  start(count: number): void {
    this.#open += count;
  }

  /** Called after the callback has ended, however it ended. */
  finished(): void {
    if (this.#open === 0) throw new Error("invariant 1: more initial adds finished than started");
    this.#open -= 1;
    this.#check();
  }

  /** Called when the whole initial list has been passed to `start`. */
  upstreamHasSynced(): void {
    this.#upstreamSynced = true;
    this.#check();
  }

  /** Calls back once when synced; at once if it already is. Call the result to cancel. */
  onSynced(callback: () => void): () => void {
    if (this.#synced) callback();
    else this.#waiting.add(callback);
    return () => void this.#waiting.delete(callback);
  }

  #check(): void {
    if (this.#synced || !this.#upstreamSynced || this.#open > 0) return;
    this.#synced = true;
    const callbacks = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of callbacks) callback();
  }
}
