/** Batches that grow 1, 2, 4, 8 …: a controller whose every create fails learns so after one call, not after 500. */

export interface SlowStartResult {
  readonly succeeded: number;
  /** The number of calls that failed, all in one batch, and the first of their errors. */
  readonly failed: number;
  readonly error?: unknown;
}

/**
 * Makes `count` calls in growing batches. Each batch runs in parallel and is awaited whole; after a batch with an error
 * no further one starts.
 */
export async function slowStart(count: number, call: (index: number) => Promise<unknown>): Promise<SlowStartResult> {
  let done = 0;
  let succeeded = 0;
  for (let size = Math.min(count, 1); size > 0; size = Math.min(2 * size, count - done)) {
    const batch = Array.from({ length: size }, (_, i) => call(done + i));
    const results = await Promise.allSettled(batch);
    done += size;
    succeeded += results.filter(({ status }) => status === "fulfilled").length;
    const [failure, ...more] = results.filter((result) => result.status === "rejected");
    if (failure !== undefined) return { succeeded, failed: 1 + more.length, error: failure.reason };
  }
  return { succeeded, failed: 0 };
}
