/** Spaces out the replacement of daemon pods that fail again and again on the same node. */
import type { DaemonSet, Pod } from "../../api/index.js";
import type { Clock } from "../../base/index.js";

const firstMs = 1_000;
const longestMs = 15 * 60_000;

interface Waiting {
  readonly until: number;
  readonly delayMs: number;
}

export interface FailedPods {
  /** Failed pods to delete now. */
  readonly due: readonly Pod[];
  /** Milliseconds until the first of the other failed pods may be deleted. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Back-off by DaemonSet, generation and node: a changed template starts again at the shortest wait. The wait doubles
 * from 1 s to 15 min, and is forgotten after twice the longest wait without a failure.
 */
export class FailedPodBackoff {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  judge(set: DaemonSet, failed: readonly Pod[]): FailedPods {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#waiting) if (now - until > 2 * longestMs) this.#waiting.delete(key);
    const due: Pod[] = [];
    let retryAfterMs: number | undefined;
    for (const pod of failed) {
      const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${pod.spec?.nodeName ?? ""}`;
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined && waiting.until > now) {
        retryAfterMs = Math.min(retryAfterMs ?? Number.POSITIVE_INFINITY, waiting.until - now);
        continue;
      }
      const delayMs = waiting === undefined ? firstMs : Math.min(waiting.delayMs * 2, longestMs);
      this.#waiting.set(key, { until: now + delayMs, delayMs });
      due.push(pod);
    }
    return { due, retryAfterMs };
  }
}
