/** The time that a Job waits before it replaces a failed pod: longer with every failure since its last success. */
import type { Pod } from "../../../api/index.js";
import { finishedAt } from "../pods.js";

const baseMs = 10_000;
const longestMs = 10 * 60_000;

export interface Failures {
  readonly sinceSuccess: number;
  readonly lastAt: number;
}

/** The rest of the wait after the latest failure: 10 s after the first, twice as long after each further one. */
export function failureDelayMs({ sinceSuccess, lastAt }: Failures, now: number): number {
  if (sinceSuccess === 0) return 0;
  const delayMs = Math.min(longestMs, baseMs * 2 ** Math.min(sinceSuccess - 1, 10));
  return Math.max(0, lastAt + delayMs - now);
}

/** Kept in memory only: after a restart a Job makes one attempt without waiting, which is cheap. */
export class PodFailureBackoff {
  readonly #failures = new Map<string, Failures>();

  /** The record as it would be with these pods added; `keep` stores it, once the pods are surely counted. */
  with(key: string, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
    const finished = [
      // of two pods that finished at the same time, the success comes last
      ...failed.map((pod) => ({ at: finishedAt(pod) ?? 0, failed: true })),
      ...succeeded.map((pod) => ({ at: finishedAt(pod) ?? 0, failed: false })),
    ].toSorted((a, b) => a.at - b.at);
    let { sinceSuccess, lastAt } = this.#failures.get(key) ?? { sinceSuccess: 0, lastAt: 0 };
    for (const one of finished) {
      sinceSuccess = one.failed ? sinceSuccess + 1 : 0;
      if (one.failed) lastAt = Math.max(lastAt, one.at);
    }
    return { sinceSuccess, lastAt };
  }

  keep(key: string, failures: Failures): void {
    if (failures.sinceSuccess === 0) this.#failures.delete(key);
    else this.#failures.set(key, failures);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
