/** Counts the requests that are being answered, for a server that stops. */

export class InFlight {
  #count = 0;
  #idlers: (() => void)[] = [];

  /** Must be followed by a `leave`. */
  enter(): void {
    this.#count++;
  }

  leave(): void {
    this.#count--;
    if (this.#count > 0) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }

  /** Resolves when no request is inside. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#idlers.push(resolve));
  }
}
