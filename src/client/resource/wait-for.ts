/** Waits until an object satisfies a predicate, by watching it. */
import { defined } from "../../base/defined.js";
import { checkNumbers, type Clock } from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import type { KubeList, KubeObject } from "../../api/object.js";
import { isExpired, isGone } from "../../api/errors/status-guards.js";
import { ConnectionError, isConnectionFailure } from "../failure.js";
import type { ListOptions, WatchOptions } from "../request/options.js";
import type { WatchStream } from "../stream/watch-stream.js";

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Rejects with a ConnectionError of failure `timeout` after this time; no limit by default. */
  readonly timeoutMs?: number;
}

/** The part of a resource client that is needed. */
export interface Waiting<T extends KubeObject> {
  readonly type: { readonly kind: string };
  list(options?: ListOptions): Promise<KubeList<T>>;
  watch(options?: WatchOptions): WatchStream<T>;
}

export interface WaitRequest<T extends KubeObject> {
  readonly name: string;
  predicate(object: T | undefined): boolean;
  readonly options: WaitOptions;
  readonly clock: Clock;
}

/** The least time between two lists, so that a server that ends every watch at once is not flooded. */
const pauseMs = 1_000;

/**
 * Calls the predicate with each state in turn, the present one first: starts with a list and continues with a watch
 * from it, so that no state in between is missed while the watch lasts. When the watch breaks, it begins anew.
 */
export async function waitFor<T extends KubeObject>(
  resource: Waiting<T>,
  { name, predicate, options, clock }: WaitRequest<T>,
): Promise<T | undefined> {
  checkNumbers(`waiting for ${resource.type.kind} ${name}`, options, { timeoutMs: { endless: true } });
  const { timeoutMs } = options;
  const late = `${resource.type.kind} "${name}" is not as wanted after ${timeoutMs} ms`;
  using abort = timeLimit(clock, timeoutMs || undefined, () => new ConnectionError("timeout", late), options.signal);
  const { signal } = abort;
  const fieldSelector = `metadata.name=${name}`;
  try {
    for (let first = true; ; first = false) {
      if (!first) await clock.sleep(pauseMs, signal);
      const { items, metadata } = await resource.list({ fieldSelector, signal });
      if (predicate(items[0])) return items[0];
      const from = defined({ resourceVersion: metadata.resourceVersion });
      const found = await watchUntil(resource.watch({ fieldSelector, signal, ...from }), predicate);
      if (found !== undefined) return found.object;
    }
  } finally {
    abort.abort();
  }
}

/** Undefined if the watch ended in an ordinary way before the predicate was satisfied. */
async function watchUntil<T extends KubeObject>(
  watch: WatchStream<T>,
  predicate: (object: T | undefined) => boolean,
): Promise<{ readonly object: T | undefined } | undefined> {
  try {
    for await (const event of watch) {
      if (event.type === "BOOKMARK") continue;
      const object = event.type === "DELETED" ? undefined : event.object;
      if (predicate(object)) return { object };
    }
  } catch (error) {
    if (!isExpired(error) && !isGone(error) && !isConnectionFailure(error, "closed", "idle", "refused")) throw error;
  }
  return undefined;
}
