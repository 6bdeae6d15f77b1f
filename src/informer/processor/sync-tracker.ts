/** Counts initial adds until the last is handled. Serves the listeners: what a registration's `hasSynced` means. */

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

  /** Before the adds are queued, so that nobody sees "synced" in between. */
  start(count: number): void {
    this.#open += count;
  }

  /** After the callback has ended, however it ended. */
  finished(): void {
    if (this.#open === 0) throw new Error("invariant 1: more initial adds finished than started");
    this.#open -= 1;
    this.#check();
  }

  /** The whole initial list has been passed to `start`. */
  upstreamHasSynced(): void {
    this.#upstreamSynced = true;
    this.#check();
  }

  /** Calls back once when synced; at once if it is so. Call what it gives to be called no more. */
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
