/**
 * Functions on optional values. `or` and `orValue` evaluate their second operand only when needed, so the planner
 * evaluates them.
 */
import { type Library, overload } from "../checker/environment.js";
import {
  CelList,
  CelMap,
  ArrayList,
  Duration,
  ErrorValue,
  noSuchOverload,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "../values/value.js";
import { itemsOf } from "./lists.js";

/** True for zero and for empty values. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanoseconds === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  return value instanceof Optional && value.value === undefined;
}

const never = (): Value => noSuchOverload;

function unwrapped([list]: [CelList], meter: Parameters<typeof itemsOf>[1]): Value {
  const items: Value[] = [];
  for (const item of itemsOf(list, meter)) {
    if (!(item instanceof Optional)) return new ErrorValue("value is not optional");
    if (item.value !== undefined) items.push(item.value);
  }
  return new ArrayList(items);
}

const present = (value: Value | undefined): Optional => (value === undefined ? Optional.none : new Optional(value));

export const optionalLibrary: Library = {
  "optional.of": [overload("optional_of", "(V) -> optional_type(V)", ([value]) => new Optional(value))],
  "optional.ofNonZeroValue": [
    overload("optional_ofNonZeroValue", "(V) -> optional_type(V)", ([value]: [Value]) =>
      isZero(value) ? Optional.none : new Optional(value),
    ),
  ],
  "optional.none": [overload("optional_none", "() -> optional_type(V)", () => Optional.none)],
  value: [
    overload("optional_value", "optional_type(V).() -> V", ([{ value }]: [Optional]) =>
      value === undefined ? new ErrorValue("optional.none() dereference") : value,
    ),
  ],
  hasValue: [
    overload("optional_hasValue", "optional_type(V).() -> bool", ([{ value }]: [Optional]) => value !== undefined),
  ],
  or: [overload("optional_or_optional", "optional_type(V).(optional_type(V)) -> optional_type(V)", never)],
  orValue: [overload("optional_orValue_value", "optional_type(V).(V) -> V", never)],
  first: [
    overload("list_first", "list(V).() -> optional_type(V)", ([list]: [CelList]) =>
      present(list.size === 0 ? undefined : list.at(0)),
    ),
  ],
  last: [
    overload("list_last", "list(V).() -> optional_type(V)", ([list]: [CelList]) =>
      present(list.size === 0 ? undefined : list.at(list.size - 1)),
    ),
  ],
  "optional.unwrap": [overload("optional_unwrap", "(list(optional_type(V))) -> list(V)", unwrapped)],
  unwrapOpt: [overload("optional_unwrapOpt", "list(optional_type(V)).() -> list(V)", unwrapped)],
};
