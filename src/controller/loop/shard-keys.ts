/** The keys of a controller whose objects are shared with other processes: takes the shards that this process holds, admits runs, and wakes keys that it has won. */
import { type KubeObject, type ResourceType, splitMetaNamespaceKey } from "../../api/index.js";
import { type Clock, Recent } from "../../base/index.js";
import type { ObjectPlace } from "../cache/cluster-cache.js";

/** The right to run a key, until it is disposed. */
export interface KeyPass extends Disposable {
  /** Aborts when the key is lost: another process may have it by now. */
  readonly lost: AbortSignal;
  /** Throws if the key is lost, or the run has ended: nothing must be written for it. */
  check(): void;
}

/** The shards of a process. */
export interface ShardHolder {
  /** The shard of an object; its state is needed if `followsObject`. */
  of(type: ResourceType, place: ObjectPlace, object: KubeObject | undefined): number;
  /** True if the shard depends on the object's state, so that it can change. */
  readonly followsObject: boolean;
  /** After this time no other process works on an object that has changed its shard. */
  readonly settleMs: number;
  /** Undefined if another process has the shard, or gets it. */
  enter(shard: number): KeyPass | undefined;
  /** Called when shards were won. */
  onAcquired(tell: (has: (shard: number) => boolean) => void): Disposable;
}

export interface ShardKeysOptions {
  readonly type: ResourceType;
  readonly shards: ShardHolder;
  readonly objectOf: (place: ObjectPlace) => KubeObject | undefined;
  /** The keys of all cached objects. */
  readonly keys: () => Iterable<string>;
  readonly wake: (key: string, message: string, afterMs: number) => void;
  readonly clock: Clock;
}

/** Keys of other processes are remembered, so that a deletion during a hand-over is told by the next holder. */
const rememberedKeys = 10_000;

/**
 * Invariants:
 * 1. `#elsewhere` has keys that were woken here while another process had them, and when.
 * 2. `#shards` has the last known shard of keys, if the shard depends on the object's state: a deleted object has none.
 * 3. `#unsettled` has keys that came from a shard of another process, and the time until which that one may run them.
 */
export class ShardKeys implements Disposable {
  readonly #options: ShardKeysOptions;
  readonly #elsewhere = new Recent<string, number>({ weight: rememberedKeys });
  readonly #shards = new Recent<string, number>({ weight: rememberedKeys });
  readonly #unsettled = new Recent<string, number>({ weight: rememberedKeys });
  readonly #listening: Disposable;

  constructor(options: ShardKeysOptions) {
    this.#options = options;
    this.#listening = options.shards.onAcquired((has) => this.#acquired(has));
  }

  /** Admits a run; undefined if the key is another process's, which runs it instead. */
  enter(key: string): KeyPass | undefined {
    const { shards, clock, wake } = this.#options;
    const now = clock.monotonic();
    const settledAt = this.#unsettled.get(key);
    if (settledAt !== undefined && now < settledAt) {
      wake(key, "its shard has changed", settledAt - now);
      return undefined;
    }
    const shard = this.#shardOf(key);
    const pass = shards.enter(shard);
    if (pass === undefined) {
      this.#elsewhere.set(key, now);
      return undefined;
    }
    if (!shards.followsObject) return pass;
    return {
      lost: pass.lost,
      check: () => {
        if (this.#shardOf(key) !== shard) throw new Error(`not sent: ${key} has changed its shard during this run`);
        pass.check();
      },
      [Symbol.dispose]: () => pass[Symbol.dispose](),
    };
  }

  /** To be called for each change of an object of the kind. */
  changed(key: string, previous: KubeObject | undefined, object: KubeObject): void {
    const { shards, type, clock } = this.#options;
    if (!shards.followsObject || previous === undefined) return;
    const place = splitMetaNamespaceKey(key);
    if (shards.of(type, place, previous) === shards.of(type, place, object)) return;
    this.#unsettled.set(key, clock.monotonic() + shards.settleMs);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #shardOf(key: string): number {
    const { shards, type, objectOf } = this.#options;
    const place = splitMetaNamespaceKey(key);
    if (!shards.followsObject) return shards.of(type, place, undefined);
    const object = objectOf(place);
    const known = object === undefined ? this.#shards.get(key) : undefined;
    const shard = known ?? shards.of(type, place, object);
    if (object !== undefined) this.#shards.set(key, shard);
    return shard;
  }

  #acquired(has: (shard: number) => boolean): void {
    const { keys, wake, clock, shards } = this.#options;
    const woken = new Set<string>();
    for (const key of keys()) {
      if (!has(this.#shardOf(key))) continue;
      woken.add(key);
      wake(key, "its shard was acquired", 0);
    }
    const now = clock.monotonic();
    for (const [key, at] of this.#elsewhere.entries()) {
      if (woken.has(key) || !has(this.#shardOf(key))) continue;
      this.#elsewhere.delete(key);
      // the object is gone; if that was long ago, its former holder has seen it
      if (now - at <= 2 * shards.settleMs) wake(key, "its shard was acquired", 0);
    }
  }
}
