/** The signal of an attempt that may not take longer than a time. */
import { type LinkedAbort, linkedAbort } from "../abort.js";
import type { Clock } from "./clock.js";

/**
 * Aborts with the parent, or after `ms` with this error; without a time, or with an endless one, with the parent alone.
 * Dispose it at the end of the attempt.
 */
export function timeLimit(
  clock: Clock,
  ms: number | undefined,
  late: string | (() => Error),
  parent?: AbortSignal,
): LinkedAbort {
  const limit = linkedAbort(parent);
  if (ms === undefined || ms === Number.POSITIVE_INFINITY) return limit;
  const timer = clock.timer(ms, () => limit.abort(typeof late === "string" ? new Error(late) : late()));
  return {
    ...limit,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      limit[Symbol.dispose]();
    },
  };
}
