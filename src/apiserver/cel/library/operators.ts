/** The operators of CEL, `in`, indexing and `size`. */
import { type Library, overload, type Overload } from "../checker/environment.js";
import type { Meter } from "../values/meter.js";
import { compareValues, equal, itemsByKey } from "../values/equality.js";
import { intOrFailure, uintOrFailure } from "../values/numbers.js";
import { durationOf, timestampAt } from "../values/times.js";
import {
  ArrayList,
  CelList,
  CelMap,
  type Duration,
  ErrorValue,
  noSuchOverload,
  type Timestamp,
  Uint,
  type Value,
} from "../values/value.js";
import { codePoints } from "../../text/code-points.js";

const divisionByZero = new ErrorValue("division by zero");
const modulusByZero = new ErrorValue("modulus by zero");

type Ints = [bigint, bigint];
type Uints = [Uint, Uint];
type Doubles = [number, number];
type Durations = [Duration, Duration];

const arithmetic: Library = {
  "_+_": [
    overload("add_bytes", "(bytes, bytes) -> bytes", ([a, b]: [Uint8Array, Uint8Array], meter) => {
      meter.read(a.length + b.length);
      return new Uint8Array(Buffer.concat([a, b]));
    }),
    overload("add_double", "(double, double) -> double", ([a, b]: Doubles) => a + b),
    overload("add_duration_duration", "(duration, duration) -> duration", ([a, b]: Durations) =>
      durationOf(a.nanoseconds + b.nanoseconds),
    ),
    overload("add_duration_timestamp", "(duration, timestamp) -> timestamp", ([a, b]: [Duration, Timestamp]) =>
      timestampAt(a.nanoseconds + b.nanoseconds, b.zone),
    ),
    overload("add_timestamp_duration", "(timestamp, duration) -> timestamp", ([a, b]: [Timestamp, Duration]) =>
      timestampAt(a.nanoseconds + b.nanoseconds, a.zone),
    ),
    overload("add_int64", "(int, int) -> int", ([a, b]: Ints) => intOrFailure(a + b)),
    overload("add_list", "(list(A), list(A)) -> list(A)", ([a, b]: [CelList, CelList], meter) => appended(a, b, meter)),
    overload("add_string", "(string, string) -> string", ([a, b]: [string, string], meter) => {
      meter.read(a.length + b.length);
      return a + b;
    }),
    overload("add_uint64", "(uint, uint) -> uint", ([a, b]: Uints) => uintOrFailure(a.value + b.value)),
  ],
  "_-_": [
    overload("subtract_double", "(double, double) -> double", ([a, b]: Doubles) => a - b),
    overload("subtract_duration_duration", "(duration, duration) -> duration", ([a, b]: Durations) =>
      durationOf(a.nanoseconds - b.nanoseconds),
    ),
    overload("subtract_int64", "(int, int) -> int", ([a, b]: Ints) => intOrFailure(a - b)),
    overload("subtract_timestamp_duration", "(timestamp, duration) -> timestamp", ([a, b]: [Timestamp, Duration]) =>
      timestampAt(a.nanoseconds - b.nanoseconds, a.zone),
    ),
    overload("subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration", ([a, b]: [Timestamp, Timestamp]) => {
      const between = durationOf(a.nanoseconds - b.nanoseconds);
      return between instanceof ErrorValue ? new ErrorValue("integer overflow") : between;
    }),
    overload("subtract_uint64", "(uint, uint) -> uint", ([a, b]: Uints) => uintOrFailure(a.value - b.value)),
  ],
  "_*_": [
    overload("multiply_double", "(double, double) -> double", ([a, b]: Doubles) => a * b),
    overload("multiply_int64", "(int, int) -> int", ([a, b]: Ints) => intOrFailure(a * b)),
    overload("multiply_uint64", "(uint, uint) -> uint", ([a, b]: Uints) => uintOrFailure(a.value * b.value)),
  ],
  "_/_": [
    overload("divide_double", "(double, double) -> double", ([a, b]: Doubles) => a / b),
    overload("divide_int64", "(int, int) -> int", ([a, b]: Ints) => (b === 0n ? divisionByZero : intOrFailure(a / b))),
    overload("divide_uint64", "(uint, uint) -> uint", ([a, b]: Uints) =>
      b.value === 0n ? divisionByZero : new Uint(a.value / b.value),
    ),
  ],
  "_%_": [
    overload("modulo_int64", "(int, int) -> int", ([a, b]: Ints) => (b === 0n ? modulusByZero : intOrFailure(a % b))),
    overload("modulo_uint64", "(uint, uint) -> uint", ([a, b]: Uints) =>
      b.value === 0n ? modulusByZero : new Uint(a.value % b.value),
    ),
  ],
  "-_": [
    overload("negate_double", "(double) -> double", ([a]: [number]) => -a),
    overload("negate_int64", "(int) -> int", ([a]: [bigint]) => intOrFailure(-a)),
  ],
};

/** Concatenates lists. A set gains only the items that it lacks; in a list of type map, an item replaces the one with its key. */
function appended(a: CelList, b: CelList, meter: Meter): Value {
  meter.toil(1 + a.size + b.size);
  const items = Array.from({ length: a.size }, (_, i) => a.at(i));
  const added = Array.from({ length: b.size }, (_, i) => b.at(i));
  const { identity } = a;
  if (identity === undefined) return new ArrayList([...items, ...added]);
  const keyed = itemsByKey(a, a, meter);
  if (keyed instanceof ErrorValue) return keyed;
  for (const item of added) {
    const key = identity.keyOf(item);
    if (key instanceof ErrorValue) return key;
    keyed.set(key, item);
  }
  return identity.of([...keyed.values()]);
}

const ordered = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"] as const;
const numeric = ["int", "uint", "double"] as const;
const ids: Readonly<Record<string, string>> = { int: "int64", uint: "uint64" };

/** One overload for each pair of types that has an order. */
function comparison(id: string, holds: (order: number) => boolean): readonly Overload[] {
  const run = ([a, b]: readonly Value[], meter: Meter): Value => {
    const order = compareValues(a as Value, b as Value, meter);
    return order instanceof ErrorValue ? order : holds(order);
  };
  const pairs = [
    ...ordered.map((type) => [type, type] as const),
    ...numeric.flatMap((a) => numeric.filter((b) => b !== a).map((b) => [a, b] as const)),
  ];
  return pairs.map(([a, b]) => {
    const suffix = a === b ? (ids[a] ?? a) : `${ids[a] ?? a}_${ids[b] ?? b}`;
    return overload(`${id}_${suffix}`, `(${a}, ${b}) -> bool`, run);
  });
}

const never = (): Value => noSuchOverload;

const logic: Library = {
  // operators that do not always evaluate all operands; the planner evaluates them
  "_?_:_": [overload("conditional", "(bool, A, A) -> A", never)],
  "_&&_": [overload("logical_and", "(bool, bool) -> bool", never)],
  "_||_": [overload("logical_or", "(bool, bool) -> bool", never)],
  "@not_strictly_false": [overload("not_strictly_false", "(bool) -> bool", never)],
  "!_": [overload("logical_not", "(bool) -> bool", ([a]: [boolean]) => !a)],
  "_==_": [overload("equals", "(A, A) -> bool", ([a, b], meter) => equal(a as Value, b as Value, meter))],
  "_!=_": [
    overload("not_equals", "(A, A) -> bool", ([a, b], meter) => {
      const same = equal(a as Value, b as Value, meter);
      return same instanceof ErrorValue ? same : !same;
    }),
  ],
  "_<_": comparison("less", (order) => order < 0),
  "_<=_": comparison("less_equals", (order) => order <= 0),
  "_>_": comparison("greater", (order) => order > 0),
  "_>=_": comparison("greater_equals", (order) => order >= 0),
};

export function includes(list: CelList, item: Value, meter: Meter): boolean | ErrorValue {
  let failure: ErrorValue | undefined;
  for (let i = 0; i < list.size; i++) {
    const same = equal(list.at(i), item, meter);
    if (same === true) return true;
    if (same !== false) failure ??= same;
  }
  return failure ?? false;
}

const containers: Library = {
  "@in": [
    overload("in_list", "(A, list(A)) -> bool", ([item, list]: [Value, CelList], meter) => includes(list, item, meter)),
    overload("in_map", "(A, map(A, B)) -> bool", ([key, map]: [Value, CelMap]) => map.get(key) !== undefined),
  ],
  // evaluated by the planner too: the indexed value may be an optional of any type
  "_[_]": [
    overload("index_list", "(list(A), int) -> A", never),
    overload("index_map", "(map(A, B), A) -> B", never),
    overload("optional_list_index_int", "(optional_type(list(V)), int) -> optional_type(V)", never),
    overload("optional_map_index_value", "(optional_type(map(K, V)), K) -> optional_type(V)", never),
  ],
  "_[?_]": [
    overload("list_optindex_optional_int", "(list(V), int) -> optional_type(V)", never),
    overload("optional_list_optindex_optional_int", "(optional_type(list(V)), int) -> optional_type(V)", never),
    overload("map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)", never),
    overload("optional_map_optindex_optional_value", "(optional_type(map(K, V)), K) -> optional_type(V)", never),
  ],
  size: (["bytes", "list(A)", "map(A, B)", "string"] as const).flatMap((type) => {
    const name = /^\w+/.exec(type)?.[0] as string;
    return [
      overload(`size_${name}`, `(${type}) -> int`, sizeOf),
      overload(`${name}_size`, `${type}.() -> int`, sizeOf),
    ];
  }),
};

function sizeOf([value]: readonly Value[], meter: Meter): Value {
  if (typeof value === "string") {
    meter.read(value.length);
    return BigInt(codePoints(value));
  }
  if (value instanceof Uint8Array) return BigInt(value.length);
  return BigInt((value as CelList | CelMap).size);
}

export const operatorLibrary: Library = {
  ...arithmetic,
  ...logic,
  ...containers,
};
