/** An order in which groups of keys (namespaces, tenants) take turns, so that a noisy group delays only itself. */
import type { RemovableOrder } from "./order.js";
import { priorityOrder, readyOrder } from "./priority.js";

export interface FairOrderOptions<K> {
  /** The group of a key, which must never change. By default the text before the slash. */
  readonly groupOf?: (key: K) => string;
  /** The number of keys that a group may run in its turn; 1 by default. */
  readonly weightOf?: (group: string) => number;
}

interface Group<K> {
  readonly name: string;
  readonly order: RemovableOrder<K>;
  /** The number of keys that are left of the present turn. */
  left: number;
}

/**
 * With G groups waiting, all of weight 1, the n-th key of a group runs within n × G pops, however many keys the others
 * have.
 *
 * Invariants:
 * 1. `turns` holds each group that has items exactly once, and no other group; the first one is served next.
 * 2. `length` is the sum of the groups' lengths.
 */
export function fairOrder<K>(options: FairOrderOptions<K> = {}): RemovableOrder<K> {
  const groupOf = options.groupOf ?? namespaceOf;
  const weightOf = options.weightOf ?? (() => 1);
  /**
   * A Map keeps the order of insertion: its first entry has the next turn, and deleting and re-inserting an entry moves
   * it to the end.
   */
  const turns = new Map<string, Group<K>>();
  let length = 0;

  const end = (group: Group<K>): void => {
    turns.delete(group.name);
    if (group.order.length === 0) return;
    group.left = weightOf(group.name);
    turns.set(group.name, group);
  };

  return {
    prioritised: false,
    get length() {
      return length;
    },
    push(item) {
      const name = groupOf(item.key);
      let group = turns.get(name);
      if (group === undefined) {
        group = { name, order: readyOrder(), left: weightOf(name) };
        turns.set(name, group);
      }
      group.order.push(item);
      length += 1;
    },
    pop() {
      const next = turns.values().next();
      if (next.done === true) return undefined;
      const group = next.value;
      const item = group.order.pop();
      length -= 1;
      group.left -= 1;
      if (group.left <= 0 || group.order.length === 0) end(group);
      return item;
    },
    raise(item, priority) {
      item.priority = priority;
    },
    remove(item) {
      const group = turns.get(groupOf(item.key));
      if (group === undefined) return;
      group.order.remove(item);
      length -= 1;
      if (group.order.length === 0) turns.delete(group.name);
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
