/** One step of a field path as text: made from field names and list items, compared in upstream's order, printed for people. */
import { getOrMake } from "../../../base/containers/recent.js";
import { isNumeric, parseExactJson } from "../../../api/values/exact-json.js";
import { compareText, isRecord, lookup } from "../../../base/members.js";
import { goJson, goQuote } from "../../../api/index.js";

export const fieldStep = (name: string): string => `f:${name}`;

/** `keys` must be sorted by name. */
export function keyStep(keys: readonly (readonly [name: string, value: unknown])[]): string {
  return `k:{${keys.map(([name, value]) => `"${name}":${scalarJson(value)}`).join(",")}}`;
}

/** As `keyStep`, for the one key that nearly all lists have. */
export function singleKeyStep(name: string, value: unknown): string {
  return `k:{"${name}":${scalarJson(value)}}`;
}

export function valueStep(value: unknown): string {
  return `v:${scalarJson(value)}`;
}

const needsNoEscape = /^[ \w./:@-]*$/;

function scalarJson(value: unknown): string {
  if (typeof value === "string") return needsNoEscape.test(value) ? `"${value}"` : goJson(value);
  return isNumeric(value) ? String(value) : goJson(value);
}

/** Whether a step from outside is of a known kind. Throws if a known kind is malformed. */
export function isElement(step: string): boolean {
  if (step[1] !== ":") throw new Error(`missing colon: ${step}`);
  switch (step[0]) {
    case "f":
      return true;
    case "v":
    case "k":
      JSON.parse(step.slice(2));
      return true;
    case "i":
      if (!/^-?[0-9]+$/.test(step.slice(2))) throw new Error(`not an index: ${step}`);
      return true;
    default:
      return false;
  }
}

/** The order of kinds: `.` first, then fields, items by key, by value, by index. */
const rank: Readonly<Record<string, number>> = lookup({ ".": 0, f: 1, k: 2, v: 3, i: 4 });

export type CompareSteps = (a: string, b: string) => number;

/** Compares steps in upstream's order; parses the keys of a list item once, however many steps it is compared with. */
export function stepOrder(): CompareSteps {
  const parsed = new Map<string, Keys>();
  const keysOf = (step: string): Keys => {
    return getOrMake(parsed, step, () => Object.entries(parseExactJson(step.slice(2)) as object));
  };
  return (a, b) => {
    const kindA = a[0] as string;
    const kindB = b[0] as string;
    if (kindA !== kindB) return (rank[kindA] ?? 5) - (rank[kindB] ?? 5);
    switch (kindA) {
      case "k":
        return a === b ? 0 : compareKeys(keysOf(a), keysOf(b));
      case "v":
        return compareValues(parseExactJson(a.slice(2)), parseExactJson(b.slice(2)));
      case "i":
        return Number(a.slice(2)) - Number(b.slice(2));
      default:
        return compareText(a, b);
    }
  };
}

type Keys = readonly (readonly [name: string, value: unknown])[];

function compareKeys(left: Keys, right: Keys): number {
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [nameA, valueA] = left[i] as Keys[number];
    const [nameB, valueB] = right[i] as Keys[number];
    const order = compareText(nameA, nameB) || compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const typeRank: Readonly<Record<string, number>> = lookup({ number: 0, bigint: 0, string: 1, boolean: 2, object: 3 });

function compareValues(a: unknown, b: unknown): number {
  if (isNumeric(a) && isNumeric(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a !== typeof b) return (typeRank[typeof a] ?? 4) - (typeRank[typeof b] ?? 4);
  if (typeof a === "boolean") return Number(a) - Number(b);
  return compareText(String(a), String(b));
}

/** `.spec.ports[port=80,protocol="TCP"].name`: a path as messages print it. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

export function elementText(step: string): string {
  const rest = step.slice(2);
  switch (step[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${Object.entries(parseExactJson(rest) as object)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${valueText(parseExactJson(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

/** A key is a scalar, unless a client sent something else; then its contents are told, as upstream does. */
function valueText(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (!isRecord(value)) return String(value);
  return Object.keys(value)
    .map((name) => `${name}=${valueText(value[name])}`)
    .join("");
}
