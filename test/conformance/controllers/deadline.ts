/**
 * A signal that aborts after a time, or with another signal. Unlike `AbortSignal.any` over `AbortSignal.timeout`, whose
 * timeout Node forgets at the next garbage collection, it does abort.
 */
import { linkedAbort, systemClock } from "../../../src/base/index.js";

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

export function deadline(ms: number, message: string, parent?: AbortSignal): Deadline {
  const link = linkedAbort(parent);
  const timer = systemClock.timer(ms, () => link.abort(new Error(`${message}: ${ms / 1_000} s`)));
  return {
    signal: link.signal,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      link[Symbol.dispose]();
    },
  };
}
