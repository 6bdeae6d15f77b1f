/** A watch that continues when the server ends it, and the wait for events on it. */
import { isExpired, isForbidden, isGone, isUnauthorized } from "../../api/errors/status-guards.js";
import { isRevision } from "../../api/meta/revision.js";
import type { KubeObject } from "../../api/object.js";
import { StatusError } from "../../api/status.js";
import type { ObjectEvent } from "../../api/watch-event.js";
import { checkNumbers, type Clock, systemClock } from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import { ConnectionError } from "../failure.js";
import type { WatchOptions } from "../request/options.js";
import type { WatchStream } from "./watch-stream.js";

/** The part of a resource client that `retryWatch` and `until` need. */
export interface Watchable<T> {
  readonly type: { readonly kind: string };
  watch(options?: WatchOptions): WatchStream<T>;
}

export interface RetryWatchOptions extends Omit<WatchOptions, "sendInitialEvents" | "resourceVersionMatch"> {
  /** The revision of a list or an object, after which the events begin; "" and "0" are not accepted. */
  readonly resourceVersion: string;
  readonly clock?: Clock;
}

/** The least time between two attempts, so that a server that ends every watch at once is not flooded. */
const leastMs = 1_000;

/**
 * Every change after `resourceVersion`, in order and once, without bookmarks, across as many watches as needed: each continues from the
 * last revision that was seen, in an event or in a bookmark. It ends only by `break`, by the signal (whose reason it
 * throws), or by an error that waiting does not mend: the revision is gone (410), or the user may not watch (401, 403).
 */
export async function* retryWatch<T extends KubeObject>(
  resource: Watchable<T>,
  { clock = systemClock, ...options }: RetryWatchOptions,
): AsyncGenerator<ObjectEvent<T>, void, undefined> {
  let { resourceVersion } = options;
  if (!isRevision(resourceVersion)) {
    const { kind } = resource.type;
    throw new TypeError(
      `a watch of ${kind} that goes on needs a revision to begin at, not ${JSON.stringify(resourceVersion)}`,
    );
  }
  const signal = options.signal ?? new AbortController().signal;
  for (;;) {
    const startedMs = clock.monotonic();
    let askedMs = 0;
    try {
      await using watch = resource.watch({ ...options, allowWatchBookmarks: true, resourceVersion });
      for await (const event of watch) {
        const reached = event.object.metadata.resourceVersion;
        if (reached === undefined || !isRevision(reached)) {
          throw new ConnectionError("malformed", `a watch event of ${resource.type.kind} has no resourceVersion`);
        }
        resourceVersion = reached;
        if (event.type !== "BOOKMARK") yield event;
      }
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      askedMs = retryAfterMs(error);
    }
    await clock.sleep(Math.max(askedMs, startedMs + leastMs - clock.monotonic(), 0), signal);
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof StatusError)
    return isExpired(error) || isGone(error) || isUnauthorized(error) || isForbidden(error);
  const { failure } = error as { readonly failure?: unknown };
  return (
    !(error instanceof ConnectionError) ||
    ["malformed", "oversized", "certificate", "credentials"].includes(String(failure))
  );
}

function retryAfterMs(error: unknown): number {
  return error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
}

/** Whether this is the awaited event; an error that the condition throws ends the wait. */
export type EventCondition<T> = (event: ObjectEvent<T>) => boolean | Promise<boolean>;

export interface UntilOptions extends RetryWatchOptions {
  /** Rejects with a ConnectionError of failure `timeout` after this time; no limit by default. */
  readonly timeoutMs?: number;
}

/**
 * Watches until each condition in turn has held, and gives the event at which the last did. An event that satisfies one
 * condition is also tried on the next.
 */
export async function until<T extends KubeObject>(
  resource: Watchable<T>,
  conditions: readonly EventCondition<T>[],
  { timeoutMs, ...options }: UntilOptions,
): Promise<ObjectEvent<T> | undefined> {
  const { kind } = resource.type;
  checkNumbers(`waiting for ${kind}`, { timeoutMs }, { timeoutMs: { endless: true } });
  const { clock = systemClock } = options;
  const late = (): Error => new ConnectionError("timeout", `${kind} is not as wanted after ${timeoutMs} ms`);
  using abort = timeLimit(clock, timeoutMs, late, options.signal);
  try {
    return await firstToHold(retryWatch(resource, { ...options, signal: abort.signal }), conditions);
  } finally {
    abort.abort();
  }
}

/**
 * The event at which the last condition has held, each after the one before; undefined if the events end earlier, or
 * there is no condition.
 */
export async function firstToHold<T>(
  events: AsyncIterable<ObjectEvent<T>>,
  conditions: readonly EventCondition<T>[],
): Promise<ObjectEvent<T> | undefined> {
  let met = 0;
  if (conditions.length === 0) return undefined;
  for await (const event of events) {
    while (await conditions[met]?.(event)) if (++met === conditions.length) return event;
  }
  return undefined;
}
