/** Spaces out the replacement of daemon pods that fail again and again on the same node. */
import type { DaemonSet, Pod } from "../../api/index.js";
import { type Clock, KeyedBackoff } from "../../base/index.js";

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
  readonly #backoff: KeyedBackoff<string>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#backoff = new KeyedBackoff({ baseMs: 1_000, maxMs: 15 * 60_000, clock });
  }

  judge(set: DaemonSet, failed: readonly Pod[]): FailedPods {
    const now = this.#clock.now();
    this.#backoff.gc();
    const due: Pod[] = [];
    const waits: number[] = [];
    for (const pod of failed) {
      const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${pod.spec?.nodeName ?? ""}`;
      const leftMs = this.#backoff.leftMs(key, now);
      if (leftMs > 0) waits.push(leftMs);
      else {
        this.#backoff.next(key, now);
        due.push(pod);
      }
    }
    return { due, retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }
}
