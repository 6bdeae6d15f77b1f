/** An order in which groups of keys (namespaces, tenants) take turns, so that a noisy group delays only itself. */
import type { RemovableOrder } from "./order.js";
import { priorityOrder, readyOrder } from "./priority.js";

export interface FairOrderOptions<K> {
  /** The group of a key, which must never change. By default the text before the slash. */
  readonly groupOf?: (key: K) => string;
}

/**
 * With G groups waiting, the n-th key of a group runs within n × G pops, however many keys the others have.
 *
 * Invariants:
 * 1. `turns` holds each group that has items exactly once, and no other group; the first one is served next.
 * 2. `length` is the sum of the groups' lengths.
 */
export function fairOrder<K>({ groupOf = namespaceOf }: FairOrderOptions<K> = {}): RemovableOrder<K> {
  /**
   * The items of each group. A Map keeps the order of insertion: its first entry has the next turn, and deleting and
   * re-inserting an entry moves it to the end.
   */
  const turns = new Map<string, RemovableOrder<K>>();
  let length = 0;

  return {
    prioritised: false,
    get length() {
      return length;
    },
    push(item) {
      const name = groupOf(item.key);
      let group = turns.get(name);
      if (group === undefined) turns.set(name, (group = readyOrder()));
      group.push(item);
      length += 1;
    },
    pop() {
      const next = turns.entries().next();
      if (next.done === true) return undefined;
      const [name, group] = next.value;
      const item = group.pop();
      length -= 1;
      turns.delete(name);
      if (group.length > 0) turns.set(name, group);
      return item;
    },
    raise(item, priority) {
      item.priority = priority;
    },
    remove(item) {
      const name = groupOf(item.key);
      const group = turns.get(name);
      if (group === undefined) return;
      group.remove(item);
      length -= 1;
      if (group.length === 0) turns.delete(name);
    },
  };
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
