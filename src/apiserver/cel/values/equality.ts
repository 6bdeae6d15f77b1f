/** Equality and order of values, each with a count of its work; and the types of values. */
import * as types from "./types.js";
import type { Type } from "./types.js";
import type { Meter } from "./meter.js";
import {
  CelList,
  CelMap,
  Duration,
  ErrorValue,
  noSuchOverload,
  Opaque,
  Optional,
  Struct,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./value.js";

/** More levels than any object that a server stores. */
const maxDepth = 1000;

/** Numbers of different types may be equal; other values of different types are not. */
export function equal(a: Value, b: Value, meter: Meter, depth = 0): boolean | ErrorValue {
  meter.toil(1);
  if (depth > maxDepth) return new ErrorValue("values are nested too deeply to be compared");
  if (a instanceof ErrorValue) return a;
  if (b instanceof ErrorValue) return b;
  if (typeof a === "string" && typeof b === "string") {
    meter.read(Math.min(a.length, b.length));
    return a === b;
  }
  if (isNumber(a)) return isNumber(b) && order(a, b) === 0;
  if (a === null || typeof a !== "object" || b === null || typeof b !== "object") return a === b;
  if (a instanceof CelList) return b instanceof CelList && listsEqual(a, b, meter, depth);
  if (a instanceof CelMap) return b instanceof CelMap && mapsEqual(a, b, meter, depth);
  if (a instanceof Optional) return b instanceof Optional && optionalsEqual(a, b, meter, depth);
  return othersEqual(a, b, meter);
}

function optionalsEqual(a: Optional, b: Optional, meter: Meter, depth: number): boolean | ErrorValue {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value, meter, depth + 1);
}

function othersEqual(a: Value, b: Value, meter: Meter): boolean {
  if (a instanceof Uint8Array) {
    if (!(b instanceof Uint8Array)) return false;
    meter.read(Math.min(a.length, b.length));
    return Buffer.compare(a, b) === 0;
  }
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue) return b instanceof TypeValue && types.typeName(a.type) === types.typeName(b.type);
  if (!(a instanceof Opaque) || !(b instanceof Opaque) || a.type.name !== b.type.name) return false;
  meter.read(a.size);
  return a.equals(b);
}

function listsEqual(a: CelList, b: CelList, meter: Meter, depth: number): boolean | ErrorValue {
  if (a.size !== b.size) return false;
  if (a.identity !== undefined) return keyedEqual(a, b, meter, depth);
  for (let i = 0; i < a.size; i++) {
    const same = equal(a.at(i), b.at(i), meter, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

/** Equality of keyed lists, independent of the order of items. */
function keyedEqual(a: CelList, b: CelList, meter: Meter, depth: number): boolean | ErrorValue {
  const items = itemsByKey(a, a, meter);
  if (items instanceof ErrorValue) return items;
  for (let i = 0; i < b.size; i++) {
    const item = b.at(i);
    const key = a.identity?.keyOf(item) ?? "";
    if (key instanceof ErrorValue) return key;
    const other = items.get(key);
    if (other === undefined) return false;
    const same = equal(other, item, meter, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

/** The items of `list` under the keys that the identity of `by` gives them. */
export function itemsByKey(list: CelList, by: CelList, meter: Meter): Map<string, Value> | ErrorValue {
  const items = new Map<string, Value>();
  for (let i = 0; i < list.size; i++) {
    meter.toil(1);
    const item = list.at(i);
    const key = by.identity?.keyOf(item) ?? "";
    if (key instanceof ErrorValue) return key;
    meter.read(key.length);
    items.set(key, item);
  }
  return items;
}

function mapsEqual(a: CelMap, b: CelMap, meter: Meter, depth: number): boolean | ErrorValue {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [one, other] = [a.get(key), b.get(key)];
    if (one === undefined || other === undefined) return false;
    if (typeof key === "string") meter.read(key.length);
    const same = equal(one, other, meter, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

type Numeric = bigint | number | Uint;

const isNumber = (value: Value): value is Numeric =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

/** NaN for NaN, which is neither less than, nor equal to, nor greater than any number. */
function order(a: Numeric, b: Numeric): number {
  let [x, y] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  // beside a double, an int is compared as a double
  if (typeof x !== typeof y) [x, y] = [Number(x), Number(y)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Negative, 0 or positive; an ErrorValue for values that have no order. */
export function compareValues(a: Value, b: Value, meter: Meter): number | ErrorValue {
  if (isNumber(a) && isNumber(b)) {
    const result = order(a, b);
    return Number.isNaN(result) ? new ErrorValue("NaN values cannot be ordered") : result;
  }
  if (typeof a === "string" && typeof b === "string") {
    meter.read(Math.min(a.length, b.length));
    return compareTexts(a, b);
  }
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    meter.read(Math.min(a.length, b.length));
    return Buffer.compare(a, b);
  }
  const isTime = (a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp);
  return isTime ? order(a.nanoseconds, b.nanoseconds) : noSuchOverload;
}

/** Compares by code points; JavaScript's `<` compares UTF-16 units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
  const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
  return isHalf(x) === isHalf(y) ? x - y : isHalf(x) ? 1 : -1;
}

/** The type of a value, as `type(value)` gives it. */
export function typeOfValue(value: Value): Type {
  switch (typeof value) {
    case "boolean":
      return types.bool;
    case "bigint":
      return types.int;
    case "number":
      return types.double;
    case "string":
      return types.string;
    default:
      return value === null ? types.nullType : objectType(value);
  }
}

const anyList = types.list(types.dyn);
const anyMap = types.map(types.dyn, types.dyn);
const anyOptional = types.optional(types.dyn);
const anyType = types.typeOf();

function objectType(value: Exclude<Value, null | boolean | bigint | number | string>): Type {
  if (value instanceof CelList) return anyList;
  if (value instanceof Struct) return value.type;
  if (value instanceof CelMap) return anyMap;
  if (value instanceof Opaque) return value.type;
  if (value instanceof Uint) return types.uint;
  if (value instanceof Uint8Array) return types.bytes;
  if (value instanceof Duration) return types.duration;
  if (value instanceof Timestamp) return types.timestamp;
  if (value instanceof Optional) return anyOptional;
  return value instanceof TypeValue ? anyType : types.errorType;
}
