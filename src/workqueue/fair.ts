/** An order in which groups of keys (namespaces, tenants) take turns, so that a noisy group delays only itself. */
import type { Queued, RemovableOrder } from "./order.js";
import { priorityOrder, readyOrder } from "./priority.js";

export interface FairOrderOptions<K> {
  /** The group of a key, which must never change. By default the text before the slash. */
  readonly groupOf?: (key: K) => string;
}

/** With G groups waiting, the n-th key of a group runs within n × G pops, however many keys the others have. */
export function fairOrder<K>({ groupOf = namespaceOf }: FairOrderOptions<K> = {}): RemovableOrder<K> {
  return new FairOrder(groupOf);
}

/**
 * Invariants:
 * 1. `#turns` holds each group that has items exactly once, and no other group; the first one is served next.
 * 2. `length` is the sum of the groups' lengths.
 */
class FairOrder<K> implements RemovableOrder<K> {
  readonly prioritised = false;
  length = 0;
  readonly #groupOf: (key: K) => string;
  /**
   * The items of each group. A Map keeps the order of insertion: its first entry has the next turn, and deleting and
   * re-inserting an entry moves it to the end.
   */
  readonly #turns = new Map<string, RemovableOrder<K>>();

  constructor(groupOf: (key: K) => string) {
    this.#groupOf = groupOf;
  }

  push(item: Queued<K>): void {
    const name = this.#groupOf(item.key);
    let group = this.#turns.get(name);
    if (group === undefined) this.#turns.set(name, (group = readyOrder()));
    group.push(item);
    this.length += 1;
  }

  pop(): Queued<K> | undefined {
    const next = this.#turns.entries().next();
    if (next.done === true) return undefined;
    const [name, group] = next.value;
    const item = group.pop();
    this.length -= 1;
    this.#turns.delete(name);
    if (group.length > 0) this.#turns.set(name, group);
    return item;
  }

  raise(item: Queued<K>, priority: number): void {
    item.priority = priority;
  }

  remove(item: Queued<K>): void {
    const name = this.#groupOf(item.key);
    const group = this.#turns.get(name);
    if (group === undefined) return;
    group.remove(item);
    this.length -= 1;
    if (group.length === 0) this.#turns.delete(name);
  }
}

/** Orders by priority; groups take turns within a priority. */
export function fairPriorityOrder<K>(options: FairOrderOptions<K> = {}): RemovableOrder<K> {
  return priorityOrder({ within: () => fairOrder<K>(options) });
}

/** The namespace of a `namespace/name` key; all cluster-scoped keys are one group. */
function namespaceOf(key: unknown): string {
  const text = String(key);
  const slash = text.indexOf("/");
  return slash === -1 ? "" : text.slice(0, slash);
}
