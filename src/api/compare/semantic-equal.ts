/** Equality by meaning, for controllers that decide whether to write. Knows quantities, times, and that empty means absent. */
import { Quantity } from "../values/quantity.js";
import { parseTime } from "../values/time.js";
import { own, isRecord } from "../../base/members.js";

/**
 * Names of maps whose values are quantities, and of single fields that hold one. Objects carry no types, so the names
 * must do.
 */
const quantityMaps = new Set([
  "requests",
  "limits",
  "capacity",
  "allocatable",
  "hard",
  "used",
  "overhead",
  "podFixed",
  "allocatedResources",
  "max",
  "min",
  "default",
  "defaultRequest",
  "maxLimitRequestRatio",
]);
const quantityFields = new Set(["sizeLimit", "divisor", "averageValue", "maximumVolumeSize", "tolerance"]);

/** Maps of strings, in which empty means the same as absent. An empty struct (`emptyDir: {}`) does mean something. */
const plainMaps = new Set([
  "labels",
  "annotations",
  "matchLabels",
  "nodeSelector",
  "data",
  "binaryData",
  "stringData",
  "selector",
  "parameters",
  "attributes",
  "volumeAttributes",
  "mutableFeatures",
  "options",
  ...quantityMaps,
]);

const timeField = /(?:Time|Timestamp)$|^time$/;

/**
 * True if the two mean the same: quantities by value (`1` and `1000m`), times by instant, an empty list or map like an
 * absent one, `null` like absent. Lists are compared in order.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return equal(a, b, "", false);
}

/**
 * True if every field that `wanted` sets has that value in `actual`. Fields that `wanted` leaves out, or leaves empty,
 * do not matter.
 */
export function semanticDerivative(wanted: unknown, actual: unknown): boolean {
  return derived(wanted, actual, "", false);
}

/** `field` is the name under which both values stand; `inQuantities` says that their parent is a map of quantities. */
function equal(a: unknown, b: unknown, field: string, inQuantities: boolean): boolean {
  if (a === b) return true;
  if (isAbsent(a, field)) return isAbsent(b, field);
  if (isAbsent(b, field)) return false;
  if (isRecord(a) && isRecord(b)) {
    const quantities = quantityMaps.has(field);
    for (const key in a) if (!equal(a[key], own(b, key), key, quantities)) return false;
    for (const key in b) if (!Object.hasOwn(a, key) && !equal(undefined, b[key], key, quantities)) return false;
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => equal(item, b[index], field, false));
  }
  return equalScalars(a, b, field, inQuantities);
}

function derived(a: unknown, b: unknown, field: string, inQuantities: boolean): boolean {
  if (a === b || a === undefined || a === null || a === "") return true;
  if (isRecord(a)) {
    if (Object.keys(a).length === 0) return true;
    if (!isRecord(b)) return false;
    const quantities = quantityMaps.has(field);
    for (const key in a) if (!derived(a[key], own(b, key), key, quantities)) return false;
    return true;
  }
  if (Array.isArray(a)) {
    return (
      a.length === 0 ||
      (Array.isArray(b) && a.length <= b.length && a.every((item, index) => derived(item, b[index], field, false)))
    );
  }
  return equalScalars(a, b, field, inQuantities);
}

function equalScalars(a: unknown, b: unknown, field: string, inQuantities: boolean): boolean {
  if (inQuantities || quantityFields.has(field)) return sameQuantity(a, b);
  if (timeField.test(field) && typeof a === "string" && typeof b === "string") return sameTime(a, b);
  return false;
}

function sameQuantity(a: unknown, b: unknown): boolean {
  if (!isScalar(a) || !isScalar(b)) return false;
  try {
    return Quantity.parse(a).equals(Quantity.parse(b));
  } catch {
    return false;
  }
}

const isScalar = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

function sameTime(a: string, b: string): boolean {
  try {
    return parseTime(a) === parseTime(b);
  } catch {
    return false;
  }
}

function isAbsent(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isRecord(value) || !plainMaps.has(field)) return false;
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}
