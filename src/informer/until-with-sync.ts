/** Waits for changes that an informer sees, so that an expired revision does not end the wait. */
import type { KubeObject, ObjectEvent } from "../api/index.js";
import { defined } from "../base/defined.js";
import { checkNumbers, type Clock, type Logger, onAbort, systemClock } from "../base/index.js";
import { timeLimit } from "../base/time/time-limit.js";
import { ConnectionError, type EventCondition, firstToHold } from "../client/index.js";
import { SharedIndexInformer } from "./shared-informer.js";
import type { ListerWatcher } from "./source/list-watch.js";
import type { ReadonlyStore } from "./store/indexer.js";

/** The type of the watch event that a server sends for each change. */
const eventTypes = { added: "ADDED", updated: "MODIFIED", resync: "MODIFIED", deleted: "DELETED" } as const;

export interface UntilWithSyncOptions<T> {
  /** Called once, when the cache is complete: true if there is nothing to wait for. */
  readonly precondition?: (store: ReadonlyStore<T>) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal;
  /** Rejects with a ConnectionError of failure `timeout` after this time; no limit by default. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Mirrors the source until each condition in turn has held, and gives the event at which the last did; undefined if the
 * precondition held. Initial objects come as ADDED. Changes may be merged, as in every informer: not every state is
 * seen.
 */
export async function untilWithSync<T extends KubeObject>(
  source: ListerWatcher<T>,
  conditions: readonly EventCondition<T>[],
  options: UntilWithSyncOptions<T> = {},
): Promise<ObjectEvent<T> | undefined> {
  const { precondition, timeoutMs, clock = systemClock, logger } = options;
  checkNumbers("waiting for objects", { timeoutMs }, { timeoutMs: { endless: true } });
  const late = (): Error => new ConnectionError("timeout", `not as wanted after ${timeoutMs} ms`);
  using abort = timeLimit(clock, timeoutMs, late, options.signal);
  const events = new EventQueue<T>();
  const informer = new SharedIndexInformer<T>({ source, clock, ...defined({ logger }) });
  informer.addEventHandler(({ type, object }) => events.push({ type: eventTypes[type], object }));
  using _aborting = onAbort(abort.signal, (reason) => events.fail(reason));
  await using _running = informer.start({ signal: abort.signal });
  await informer.waitForSync({ signal: abort.signal });
  if (await precondition?.(informer.indexer)) return undefined;
  return await firstToHold(events, conditions);
}

/** Events for one reader, in order. Invariant: if the reader waits, no event does. */
class EventQueue<T> implements AsyncIterable<ObjectEvent<T>> {
  #events: ObjectEvent<T>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(event: ObjectEvent<T>): void {
    this.#events.push(event);
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ObjectEvent<T>, void, undefined> {
    for (;;) {
      const events = this.#events;
      this.#events = [];
      yield* events;
      if (this.#failure !== undefined) throw this.#failure.error as Error;
      if (this.#events.length > 0) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
