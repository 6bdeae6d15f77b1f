/** Cancellation: the few operations on AbortSignal on which all waiting is built. */
import { setMaxListeners } from "node:events";
import { shown } from "./options/options.js";

/** The signal's reason as an Error, which can be thrown whatever value was passed to `abort()`. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`, { cause: reason });
}

/** Calls back once when the signal aborts (at once if it has). Disposing cancels the callback. */
export function onAbort(signal: AbortSignal, callback: (reason: Error) => void): Disposable {
  if (typeof signal?.addEventListener !== "function") throw new TypeError(`${shown(signal)} is no AbortSignal`);
  if (signal.aborted) {
    callback(abortReason(signal));
    return { [Symbol.dispose]: () => {} };
  }
  const waited: WaitedSignal = signal;
  return (waited[waitsOf] ??= new Waits(signal)).add(callback);
}

/**
 * A signal carries its waits. A WeakMap would keep them, and all that their callbacks hold, until a full collection of
 * garbage: collections of young objects take its values for alive.
 */
const waitsOf: unique symbol = Symbol("waits");

type WaitedSignal = AbortSignal & { [waitsOf]?: Waits };

/**
 * All callbacks that wait for one signal, behind one listener: every request of a program waits for the program's
 * signal.
 * Invariant: the listener is on the signal exactly while a callback waits.
 */
class Waits {
  readonly #signal: AbortSignal;
  readonly #waiting = new Set<Wait>();
  readonly #tell = (): void => {
    const reason = abortReason(this.#signal);
    for (const wait of this.#waiting) {
      this.#waiting.delete(wait);
      try {
        wait.callback(reason);
      } catch (error) {
        // as for an event listener: the error does not affect other callbacks, and becomes an uncaught exception
        process.nextTick(() => {
          throw error;
        });
      }
    }
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    // many listeners are no leak here: each belongs to a request that removes it
    setMaxListeners(0, signal);
  }

  add(callback: (reason: Error) => void): Disposable {
    if (this.#waiting.size === 0) this.#signal.addEventListener("abort", this.#tell, { once: true });
    const wait = new Wait(this, callback);
    this.#waiting.add(wait);
    return wait;
  }

  remove(wait: Wait): void {
    if (this.#waiting.delete(wait) && this.#waiting.size === 0) this.#signal.removeEventListener("abort", this.#tell);
  }
}

class Wait implements Disposable {
  readonly callback: (reason: Error) => void;
  readonly #all: Waits;

  constructor(all: Waits, callback: (reason: Error) => void) {
    this.#all = all;
    this.callback = callback;
  }

  [Symbol.dispose](): void {
    this.#all.remove(this);
  }
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

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => void onAbort(signal, () => resolve()));

/** A controller that aborts with its parents. Disposing unlinks it from them and aborts nothing. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: Error): void;
}

/** The reason of an ordinary end. Made once, because every watch and run has one, and a stack costs more than the rest of it. */
const noLongerNeeded: Error = new DOMException("This operation was aborted", "AbortError");

/** Unlike AbortSignal.any, a disposed link leaves nothing behind on a long-lived parent. */
export function linkedAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const links = parents
    .filter((parent) => parent !== undefined)
    .map((parent) => onAbort(parent, (reason) => controller.abort(reason)));
  return {
    signal: controller.signal,
    abort: (reason = noLongerNeeded) => controller.abort(reason),
    [Symbol.dispose]() {
      for (const link of links) link[Symbol.dispose]();
    },
  };
}

/** True if the error is the reason of the aborted signal, i.e. the expected end of a cancelled wait. */
export function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason));
}
