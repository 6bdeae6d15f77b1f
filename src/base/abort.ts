/** Cancellation: the few operations on AbortSignal that everything that waits is built from. */
import { setMaxListeners } from "node:events";

/** The signal's reason as an Error, so that it can be thrown whatever was passed to `abort()`. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`, { cause: reason });
}

/** Calls back once when the signal aborts (at once if it has). Disposing takes it back. */
export function onAbort(signal: AbortSignal, callback: (reason: Error) => void): Disposable {
  if (signal.aborted) {
    callback(abortReason(signal));
    return { [Symbol.dispose]: () => {} };
  }
  let waits = waitsOf.get(signal);
  if (waits === undefined) waitsOf.set(signal, (waits = new Waits(signal)));
  return waits.add(callback);
}

const waitsOf = new WeakMap<AbortSignal, Waits>();

/**
 * All who wait for one signal, behind one listener: what stops a program is waited for by each of its requests.
 * Invariant: the listener is on the signal while somebody waits, and only then.
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
        // as of a listener: it harms nobody else, and shows
        process.nextTick(() => {
          throw error;
        });
      }
    }
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(callback: (reason: Error) => void): Disposable {
    if (this.#waiting.size === 0) {
      // Node's warning about eleven listeners is meant for other programs
      setMaxListeners(0, this.#signal);
      this.#signal.addEventListener("abort", this.#tell, { once: true });
    }
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
