/** Limits the number of requests that are being answered. */
import { newTooManyRequests } from "../../../api/index.js";

interface InFlightLimits {
  readonly readsInFlight: number;
  readonly writesInFlight: number;
}

export class InFlight {
  readonly #limits: InFlightLimits;
  #reads = 0;
  #writes = 0;
  #idlers: (() => void)[] = [];

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  /** Throws 429 if there is no room. Every `enter` must be followed by a `leave`. */
  enter(mutating: boolean): void {
    const { readsInFlight, writesInFlight } = this.#limits;
    if (mutating ? this.#writes >= writesInFlight : this.#reads >= readsInFlight) {
      throw newTooManyRequests("Too many requests, please try again later.", 1);
    }
    if (mutating) this.#writes++;
    else this.#reads++;
  }

  leave(mutating: boolean): void {
    if (mutating) this.#writes--;
    else this.#reads--;
    if (this.#reads + this.#writes > 0) return;
    for (const resolve of this.#idlers.splice(0)) resolve();
  }

  /** Resolves when no request is inside. */
  idle(): Promise<void> {
    return this.#reads + this.#writes === 0 ? Promise.resolve() : new Promise((resolve) => this.#idlers.push(resolve));
  }
}
