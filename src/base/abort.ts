/** Cancellation: the few operations on AbortSignal that everything that waits is built from. */
import { setMaxListeners } from "node:events";

/** The signal's reason as an Error, so that it can be thrown whatever was passed to `abort()`. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`, { cause: reason });
}

/** Calls back once when the signal aborts (at once if it has). Disposing removes the listener. */
export function onAbort(signal: AbortSignal, callback: (reason: Error) => void): Disposable {
  if (signal.aborted) {
    callback(abortReason(signal));
    return { [Symbol.dispose]: () => {} };
  }
  const listener = (): void => callback(abortReason(signal));
  // one stop may end hundreds of waits: Node's warning about eleven listeners is meant for other programs
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

/** Settles as the promise does, unless the signal aborts first; then rejects with its reason. The work itself goes on. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let aborting: Disposable | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        aborting = onAbort(signal, reject);
      }),
    ]);
  } finally {
    aborting?.[Symbol.dispose]();
  }
}

/** A controller that aborts with its parent. Disposing unlinks it from the parent and aborts nothing. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: Error): void;
}

/** Unlike AbortSignal.any, a link that is disposed leaves nothing behind on a long-lived parent. */
export function linkedAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const links = parents
    .filter((parent) => parent !== undefined)
    .map((parent) => onAbort(parent, (reason) => controller.abort(reason)));
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason ?? new DOMException("This operation was aborted", "AbortError")),
    [Symbol.dispose]() {
      for (const link of links) link[Symbol.dispose]();
    },
  };
}

/** True if the error is what the aborted signal carries, i.e. the expected end of a cancelled wait. */
export function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason));
}
