/** Decides whether the objects of a cache are frozen, and freezes them. */
import { deepFreeze } from "../../api/index.js";
import { type Clock, FakeClock } from "../../base/index.js";
import type { Transform } from "./delta-fifo.js";

export interface FreezingOptions {
  /**
   * Freezes all cached objects, so that code that changes one fails with a TypeError at that line. Costs the decoding
   * of every object. True on a FakeClock, and with a client that says so.
   */
  readonly freeze?: boolean;
  readonly clock?: Clock;
}

export function freezes({ freeze, clock }: FreezingOptions, client: { readonly freezeCaches?: boolean } = {}): boolean {
  return freeze ?? (clock instanceof FakeClock || client.freezeCaches === true);
}

/** The transform, whose result is frozen. */
export function frozen<T>(transform: Transform<T> | undefined): Transform<T> {
  return (object) => deepFreeze(transform === undefined ? object : transform(object)) as T;
}
