/** The signal of an attempt that may not take longer than a time. */
import { type Clock, type LinkedAbort, linkedAbort } from "../../base/index.js";

/** Aborts with the parent, or after `ms` with this error. Dispose it at the end of the attempt. */
export function timeLimit(clock: Clock, ms: number, why: string, parent?: AbortSignal): LinkedAbort {
  const limit = linkedAbort(parent);
  const timer = clock.timer(ms, () => limit.abort(new Error(why)));
  return {
    ...limit,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      limit[Symbol.dispose]();
    },
  };
}
