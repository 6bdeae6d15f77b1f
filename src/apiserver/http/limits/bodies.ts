/** Limits the bytes of request bodies in memory, of all users and of each. */
import { newTooManyRequests } from "../../../api/index.js";

/** One request's share; disposed when the request is answered. */
export interface BodyShare extends Disposable {
  /** Adds bytes to the share; throws 429 if they exceed the limit. */
  take(bytes: number): void;
}

/**
 * No user has more than half, so that one user's bodies never keep out another's.
 * Invariant: `#held` is the sum over `#byUser`, and the sum of all shares that are not disposed.
 */
export class Bodies {
  readonly #limit: number;
  readonly #byUser = new Map<string, number>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  share(username: string): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        const own = this.#byUser.get(username) ?? 0;
        if (this.#held + bytes > this.#limit || own + bytes > this.#limit / 2) {
          throw newTooManyRequests("Too many requests, please try again later.", 1);
        }
        taken += bytes;
        this.#add(username, bytes);
      },
      [Symbol.dispose]: () => {
        if (taken > 0) this.#add(username, -taken);
        taken = 0;
      },
    };
  }

  #add(username: string, bytes: number): void {
    this.#held += bytes;
    const own = (this.#byUser.get(username) ?? 0) + bytes;
    if (own === 0) this.#byUser.delete(username);
    else this.#byUser.set(username, own);
  }
}
