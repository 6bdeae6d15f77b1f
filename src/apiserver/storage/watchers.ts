/** Who watches which part of which collection, and handing each its events once per turn of the loop. Driven by store.ts. */
import { trackLeak } from "../../base/index.js";
import type { StoreEvent, WatchSink } from "./storage.js";

interface Watcher {
  readonly sink: WatchSink;
  /** The last revision that this watcher has been given, or started from. */
  seen: number;
}

type History = (collection: string, after: number, through: number) => readonly StoreEvent[];

/**
 * Watchers are grouped by collection and prefix (either "" or `namespace/`), so that an event visits only those whom it may concern,
 * and all caught-up watchers of a group are given the same array.
 * Invariant: each watcher has been given exactly the events of its range up to `seen`.
 */
export class Watchers {
  readonly #groups = new Map<string, Map<string, Set<Watcher>>>();
  /** Collections that have settled events, or new watchers, which were not handed out yet. */
  readonly #dirty = new Set<string>();
  readonly #history: History;
  #size = 0;

  /** How many watch. */
  get size(): number {
    return this.#size;
  }

  constructor(history: History) {
    this.#history = history;
  }

  add(collection: string, prefix: string, watcher: Watcher): Disposable {
    let prefixes = this.#groups.get(collection);
    if (prefixes === undefined) this.#groups.set(collection, (prefixes = new Map()));
    let group = prefixes.get(prefix);
    if (group === undefined) prefixes.set(prefix, (group = new Set()));
    group.add(watcher);
    this.#size++;
    this.#dirty.add(collection);
    const open = trackLeak("subscription", () => `a watch of ${collection} ${prefix}`);
    return {
      [Symbol.dispose]: () => {
        open[Symbol.dispose]();
        if (group.delete(watcher)) this.#size--;
        if (group.size > 0 || prefixes.get(prefix) !== group) return;
        prefixes.delete(prefix);
        if (prefixes.size === 0) this.#groups.delete(collection);
      },
    };
  }

  /** True if somebody must be told. */
  changed(collection: string): boolean {
    if (!this.#groups.has(collection)) return false;
    this.#dirty.add(collection);
    return true;
  }

  /** Gives every watcher of a changed collection what it has not been given, up to the revision. */
  deliver(through: number): void {
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    for (const collection of dirty) {
      for (const [prefix, group] of this.#groups.get(collection) ?? []) {
        this.#deliverGroup(collection, prefix, { group, through });
      }
    }
  }

  #deliverGroup(
    collection: string,
    prefix: string,
    { group, through }: { readonly group: ReadonlySet<Watcher>; readonly through: number },
  ): void {
    /** By what the watcher has seen: nearly all have seen the same. */
    const batches = new Map<number, readonly StoreEvent[]>();
    for (const watcher of group) {
      if (watcher.seen >= through) continue;
      let batch = batches.get(watcher.seen);
      if (batch === undefined) {
        batch = this.#history(collection, watcher.seen, through);
        if (prefix !== "") batch = batch.filter(({ key }) => key.startsWith(prefix));
        batches.set(watcher.seen, batch);
      }
      watcher.seen = through;
      if (batch.length > 0) watcher.sink(batch);
    }
  }
}
