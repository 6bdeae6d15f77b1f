/** Lifetimes: work that is started can be stopped, and stopping waits until it has ended. */
import { isAbortOf, linkedAbort } from "./abort.js";
import { trackLeak } from "./leaks.js";
import { asError } from "./log/errors.js";

/** An open resource. Disposing ends it and waits; `close` does the same, for programs without `await using`. */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}

/** The two members of a Closable. */
export const closable = (close: () => Promise<void>): Closable => ({ close, [Symbol.asyncDispose]: close });

/**
 * Work that runs. Disposing stops it and waits for its end. `done` settles when the run has ended: it resolves after a
 * stop, and rejects if the run failed by itself, so the starter must watch `done`.
 */
export interface Running extends Closable {
  readonly done: Promise<void>;
}

/** Starts `run` with a signal that aborts on dispose (and with the parent, if one is given). */
export function startRunning(run: (signal: AbortSignal) => Promise<void>, parent?: AbortSignal): Running {
  const stop = linkedAbort(parent);
  const open = trackLeak("run", () => run.name || "a run that has not ended");
  const done = (async () => {
    try {
      await run(stop.signal);
    } catch (error) {
      if (!isAbortOf(stop.signal, error)) throw error;
    } finally {
      stop[Symbol.dispose]();
      open[Symbol.dispose]();
    }
  })();
  const close = async (): Promise<void> => {
    stop.abort();
    await done;
  };
  return { done, ...closable(close) };
}

/**
 * Runs all of them until the signal aborts, or until one fails, which stops the others. Settles only when all have
 * ended, with the first failure if there was one: nothing goes on behind the caller's back.
 */
export async function runTogether(
  runs: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  using stop = linkedAbort(signal);
  const failures: unknown[] = [];
  const settled = runs.map(async (run) => {
    try {
      await run(stop.signal);
    } catch (error) {
      failures.push(error);
      stop.abort(asError(error));
    }
  });
  await Promise.all(settled);
  if (failures.length > 0) throw failures[0];
}

/**
 * A stack of resources, disposed in reverse order of arrival. A failing disposal does not keep the others from being
 * disposed; all failures are then thrown together. Disposing twice does the work once.
 */
export class Lifetime implements Closable {
  /** Emptied by the first dispose; `undefined` afterwards, so that late additions are refused. */
  #stack: (() => unknown)[] | undefined = [];
  #disposed: Promise<void> | undefined;

  use<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.defer(() =>
      Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : (resource as Disposable)[Symbol.dispose](),
    );
    return resource;
  }

  defer(cleanUp: () => unknown): void {
    if (this.#stack === undefined) throw new Error("this lifetime has ended: nothing can be added to it");
    this.#stack.push(cleanUp);
  }

  close(): Promise<void> {
    this.#disposed ??= this.#disposeAll();
    return this.#disposed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #disposeAll(): Promise<void> {
    const stack = this.#stack ?? [];
    this.#stack = undefined;
    const failures: unknown[] = [];
    for (const cleanUp of stack.reverse()) {
      try {
        await cleanUp();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} clean-ups failed`);
  }
}
