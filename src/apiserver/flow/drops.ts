/** The advice to a rejected client: the seconds after which to ask again, longer while many requests are being rejected. */

const longestSeconds = 32;

interface Second {
  readonly at: number;
  readonly rejected: number;
}

/**
 * As TCP does: the advice doubles while at least three requests for each of its seconds were rejected, and shrinks by
 * one when there were fewer than one.
 * Invariant: `#seconds` is in the order of time and reaches back at most twice the advice.
 */
export class Drops {
  #seconds: Second[] = [];
  #now: Second = { at: 0, rejected: 0 };
  #advice = 1;
  #doubledAt = 0;

  /** Counts a rejected request and gives the advice for it; `at` is in whole seconds. */
  count(at: number): number {
    if (at === this.#now.at) this.#now = { at, rejected: this.#now.rejected + 1 };
    else {
      const last = this.#now.at;
      const reach = Math.min(2 * this.#advice, longestSeconds);
      this.#seconds = [...this.#seconds, this.#now].filter((one) => last - one.at <= reach);
      this.#now = { at, rejected: 1 };
      this.#judge(at);
    }
    return this.#advice;
  }

  #judge(at: number): void {
    const advice = this.#advice;
    let rejected = 0;
    for (const second of this.#seconds) if (second.at < at && at - second.at <= advice) rejected += second.rejected;
    if (at - this.#doubledAt >= advice && rejected >= 3 * advice) {
      this.#advice = Math.min(2 * advice, longestSeconds);
      this.#doubledAt = at;
    } else if (rejected < advice && advice > 1) this.#advice--;
  }
}
