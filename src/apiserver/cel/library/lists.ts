/** Functions on lists: CEL's list library, Kubernetes' older list functions, sets, and the helpers of two-variable loops. */
import { type Library, overload, type Overload } from "../checker/environment.js";
import type { Meter } from "../values/meter.js";
import { compareValues, equal, typeOfValue } from "../values/equality.js";
import { intOrFailure, uintOrFailure } from "../values/numbers.js";
import { durationOf } from "../values/times.js";
import { ArrayList, CelList, CelMap, Duration, EntryMap, ErrorValue, Uint, type Value } from "../values/value.js";
import { includes } from "./operators.js";

export function itemsOf(list: CelList, meter: Meter): Value[] {
  meter.toil(1 + list.size);
  return Array.from({ length: list.size }, (_, i) => list.at(i));
}

function isSorted([list]: [CelList], meter: Meter): Value {
  for (let i = 1; i < list.size; i++) {
    meter.toil(1);
    const order = compareValues(list.at(i - 1), list.at(i), meter);
    if (order instanceof ErrorValue) return order;
    if (order > 0) return false;
  }
  return true;
}

function sum([list]: [CelList], meter: Meter): Value {
  if (list.size === 0) return 0n;
  return itemsOf(list, meter).reduce((total, item) => plus(total, item));
}

function plus(a: Value, b: Value): Value {
  if (a instanceof ErrorValue) return a;
  if (typeof a === "bigint" && typeof b === "bigint") return intOrFailure(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof Uint && b instanceof Uint) return uintOrFailure(a.value + b.value);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanoseconds + b.nanoseconds);
  return b instanceof ErrorValue ? b : new ErrorValue("no such overload");
}

function extreme(name: "min" | "max") {
  const sign = name === "max" ? 1 : -1;
  return ([list]: [CelList], meter: Meter): Value => {
    if (list.size === 0) return new ErrorValue(`${name} called on empty list`);
    let best = list.at(0);
    for (let i = 1; i < list.size; i++) {
      meter.toil(1);
      const order = compareValues(list.at(i), best, meter);
      if (order instanceof ErrorValue) return order;
      if (order * sign > 0) best = list.at(i);
    }
    return best;
  };
}

function indexOf([list, item]: [CelList, Value], meter: Meter): Value {
  for (let i = 0; i < list.size; i++) if (equal(list.at(i), item, meter) === true) return BigInt(i);
  return -1n;
}

function lastIndexOf([list, item]: [CelList, Value], meter: Meter): Value {
  for (let i = list.size - 1; i >= 0; i--) if (equal(list.at(i), item, meter) === true) return BigInt(i);
  return -1n;
}

function slice([list, start, end]: [CelList, bigint, bigint], meter: Meter): Value {
  const cannot = (why: string): ErrorValue => new ErrorValue(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return cannot("negative indexes not supported");
  if (start > end) return cannot("start index must be less than or equal to end index");
  if (BigInt(list.size) < end) return cannot(`list is length ${list.size}`);
  return new ArrayList(itemsOf(list, meter).slice(Number(start), Number(end)));
}

function flatten([list, depth = 1n]: [CelList, bigint?], meter: Meter): Value {
  if (depth < 0n) return new ErrorValue("level must be non-negative");
  const items: Value[] = [];
  // the lists being flattened, each with the index of its next item
  const open = [{ list, next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    meter.toil(1);
    if (top.next === top.list.size) {
      open.pop();
      continue;
    }
    const item = top.list.at(top.next++);
    if (item instanceof CelList && BigInt(open.length) <= depth) open.push({ list: item, next: 0 });
    else items.push(item);
  }
  return new ArrayList(items);
}

/** Removes duplicates. Items are compared pairwise, because values of mixed types have no order. */
function distinct([list]: [CelList], meter: Meter): Value {
  const kept: Value[] = [];
  const texts = new Set<string>();
  for (const item of itemsOf(list, meter)) {
    if (typeof item === "string") {
      meter.read(item.length);
      if (texts.has(item)) continue;
      texts.add(item);
    } else if (kept.some((one) => equal(one, item, meter) === true)) continue;
    kept.push(item);
  }
  return new ArrayList(kept);
}

/** The list in the order of `keys`, a second list with one key per item. */
function sortedBy([list, keys]: [CelList, CelList], meter: Meter): Value {
  if (list.size !== keys.size)
    return new ErrorValue(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  if (list.size === 0) return list;
  const { kind } = typeOfValue(keys.at(0));
  if (!(comparable as readonly string[]).includes(kind)) return new ErrorValue("list elements must be comparable");
  let failure: ErrorValue | undefined;
  const order = (a: Value, b: Value): number => {
    meter.toil(1);
    if (typeOfValue(a).kind !== kind || typeOfValue(b).kind !== kind)
      failure ??= new ErrorValue("list elements must have the same type");
    const result = compareValues(a, b, meter);
    if (result instanceof ErrorValue) failure ??= new ErrorValue("list elements must be comparable");
    return result instanceof ErrorValue ? 0 : result;
  };
  const pairs = itemsOf(list, meter).map((item, i) => ({ item, key: keys.at(i) }));
  pairs.sort((a, b) => order(a.key, b.key));
  return failure ?? new ArrayList(pairs.map(({ item }) => item));
}

const sort = ([list]: [CelList], meter: Meter): Value => sortedBy([list, list], meter);

function range([count]: [bigint], meter: Meter): Value {
  const length = count < 0n ? 0 : Number(count);
  // refused before it is made, if the list would later exceed the work limit
  meter.toil(1 + 4 * length);
  return new ArrayList(Array.from({ length }, (_, i) => BigInt(i)));
}

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"] as const;
const longNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};

type Run = (args: never, meter: Meter) => Value;

/** One overload for each type of items. */
const forEach = (
  of: readonly string[],
  declare: (type: string) => readonly [id: string, signature: string],
  run: Run,
): readonly Overload[] => of.map((type) => overload(...declare(type), run as unknown as Overload["run"]));

const perItem = (
  name: string,
  result: (type: string) => string,
  run: Run,
  of: readonly string[] = comparable,
): readonly Overload[] =>
  forEach(
    of,
    (type) => {
      const id = name === "isSorted" ? `list_${type}_is_sorted_bool` : `list_${type}_${name}_${type}`;
      return [id, `list(${type}).() -> ${result(type)}`];
    },
    run,
  );

const lists: Library = {
  isSorted: perItem("isSorted", () => "bool", isSorted),
  sum: perItem("sum", (type) => type, sum, ["int", "uint", "double", "duration"]),
  min: perItem("min", (type) => type, extreme("min")),
  max: perItem("max", (type) => type, extreme("max")),
  indexOf: [overload("list_a_index_of_int", "list(A).(A) -> int", indexOf)],
  lastIndexOf: [overload("list_a_last_index_of_int", "list(A).(A) -> int", lastIndexOf)],
  slice: [overload("list_slice", "list(T).(int, int) -> list(T)", slice)],
  flatten: [
    overload("list_flatten", "list(list(T)).() -> list(T)", flatten),
    overload("list_flatten_int", "list(dyn).(int) -> list(dyn)", flatten),
  ],
  distinct: [overload("list_distinct", "list(T).() -> list(T)", distinct)],
  reverse: [
    overload(
      "list_reverse",
      "list(T).() -> list(T)",
      ([list]: [CelList], meter) => new ArrayList(itemsOf(list, meter).reverse()),
    ),
  ],
  sort: forEach(
    comparable,
    (type) => [`list_${longNames[type] ?? type}_sort`, `list(${type}).() -> list(${type})`],
    sort,
  ),
  "@sortByAssociatedKeys": forEach(
    comparable,
    (type) => [`list_${longNames[type] ?? type}_sortByAssociatedKeys`, `list(T).(list(${type})) -> list(T)`],
    sortedBy,
  ),
  "lists.range": [overload("lists_range", "(int) -> list(int)", range)],
};

type Lists = [CelList, CelList];

function contains([a, b]: Lists, meter: Meter): Value {
  return itemsOf(b, meter).every((item) => includes(a, item, meter) === true);
}

const sets: Library = {
  "sets.contains": [overload("list_sets_contains_list", "(list(T), list(T)) -> bool", contains)],
  "sets.equivalent": [
    overload(
      "list_sets_equivalent_list",
      "(list(T), list(T)) -> bool",
      ([a, b]: Lists, meter) => contains([a, b], meter) === true && contains([b, a], meter) === true,
    ),
  ],
  "sets.intersects": [
    overload("list_sets_intersects_list", "(list(T), list(T)) -> bool", ([a, b]: Lists, meter) =>
      itemsOf(a, meter).some((item) => includes(b, item, meter) === true),
    ),
  ],
};

/** Changes the map itself: it is the accumulator of a loop, and no other code can see it. */
function insert(into: EntryMap, key: Value, value: Value): Value {
  if (into.get(key) !== undefined) return new ErrorValue(`insert failed: key ${keyText(key)} already exists`);
  return into.set(key, value) ? into : new ErrorValue(`unsupported key type: ${typeOfValue(key).name}`);
}

const keyText = (key: Value): string => String(key instanceof Uint ? key.value : (key as string));

const loops: Library = {
  "cel.@mapInsert": [
    overload(
      "@mapInsert_map_key_value",
      "(map(K, V), K, V) -> map(K, V)",
      ([map, key, value]: [EntryMap, Value, Value], meter) => {
        meter.toil(1);
        return insert(map, key, value);
      },
    ),
    overload("@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)", ([map, more]: [EntryMap, CelMap], meter) => {
      for (const key of more.keys()) {
        meter.toil(1);
        const result = insert(map, key, more.get(key) as Value);
        if (result instanceof ErrorValue) return result;
      }
      return map;
    }),
  ],
};

export const listLibrary: Library = {
  ...lists,
  ...sets,
  ...loops,
};
