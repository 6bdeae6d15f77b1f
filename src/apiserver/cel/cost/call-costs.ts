/** The cost of each function's call as kube-apiserver counts it at run time, from the sizes of arguments and result. */
import { NamedFormat } from "../kubernetes/formats.js";
import { CelList, CelMap, Opaque, Optional, type Value } from "../values/value.js";

/** The cost of a call, from its arguments (the receiver first) and its result. */
export type CallCost = (args: readonly Value[], result: Value) => number;

const charactersPerCost = 10;
/** The cost of creating a list, a map, or a struct, without the cost of its parts. */
export const creation = { list: 10, map: 30, struct: 40 } as const;

/** The cost function of a call; undefined for a call that costs 1. */
export function callCost(name: string, overload: string | undefined): CallCost | undefined {
  return (overload === undefined ? undefined : byOverload.get(overload)) ?? byName.get(name);
}

const nothing = 1;

function sizeOf(value: Value | undefined): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Optional) return sizeOf(value.value);
  return value instanceof Opaque ? value.size : nothing;
}

/** The cost of reading a text once. */
export const textCost = (size: number): number => Math.ceil(size / charactersPerCost);
const firstAsText: CallCost = ([first]) => textCost(sizeOf(first));
const firstTwice: CallCost = ([first]) => textCost(2 * sizeOf(first));
const patternCost = (text: number, pattern: number): number => textCost(1 + text) * Math.ceil(pattern / 4);
const searching: CallCost = ([text, pattern]) => patternCost(sizeOf(text), sizeOf(pattern));
const shorter: CallCost = ([a, b]) => textCost(Math.min(sizeOf(a), sizeOf(b)));
const together: CallCost = ([a, b]) => textCost(sizeOf(a) + sizeOf(b));
const bothSizes: CallCost = ([a, b]) => 1 + sizeOf(a) * sizeOf(b);
const listMade: CallCost = (_, result) => sizeOf(result) + 1 + creation.list;

/** The cost of comparing every item of one list with every item of the other. */
const compared =
  (index: 0 | 1): CallCost =>
  (args) => {
    const list = args[index] as CelList;
    const first = list.size === 0 ? undefined : list.at(0);
    const factor = typeof first === "string" || first instanceof Uint8Array ? 2.1 : 2;
    return Math.floor(list.size * list.size * factor) + 1 + creation.list;
  };

/** The cost of one pass over a text or over the items of a list. */
function traversal(value: Value | undefined): number {
  if (typeof value === "string" || value instanceof Uint8Array) return Math.floor(value.length / charactersPerCost);
  if (!(value instanceof CelList)) return 1;
  // the content of other items is counted as work when it is read
  let cost = 0;
  for (let i = 0; i < value.size; i++) {
    const item = value.at(i);
    cost += typeof item === "string" ? Math.floor(item.length / charactersPerCost) : 1;
  }
  return cost;
}

const contained =
  (parsed: boolean, masked: boolean): CallCost =>
  ([cidr, other]) =>
    textCost(2 * sizeOf(cidr)) + (masked ? textCost(sizeOf(cidr)) + 1 : 0) + (parsed ? textCost(sizeOf(other)) : 0);

/** A selector becomes a list of requirements, each of at least two characters. */
const selector: CallCost = ([, text]) => {
  const length = sizeOf(text);
  return creation.list + textCost(length) + Math.ceil(length / 2) * (creation.list + creation.struct);
};

const sameFor = (cost: CallCost, names: string): readonly (readonly [string, CallCost])[] =>
  names.split(" ").map((name) => [name, cost]);

const byOverload: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...sameFor(
    firstAsText,
    "starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format",
  ),
  ["in_list", ([, list]) => sizeOf(list)],
  ...sameFor(
    shorter,
    "less_string greater_string less_equals_string greater_equals_string less_bytes greater_bytes less_equals_bytes greater_equals_bytes not_equals",
  ),
  ["equals", ([a, b]) => (a instanceof Opaque ? 1 : textCost(Math.min(sizeOf(a), sizeOf(b))))],
  ...sameFor(together, "add_string add_bytes"),
  ["matches_string", searching],
  ["contains_string", ([a, b]) => textCost(sizeOf(a)) * textCost(sizeOf(b))],
  ["cidr_ip", () => 1],
  ["cidr_contains_ip_string", contained(true, false)],
  ["cidr_contains_ip_ip", contained(false, false)],
  ["cidr_contains_cidr_string", contained(true, true)],
  ["cidr_contains_cidr", contained(false, true)],
  ...sameFor(listMade, "list_slice lists_range list_reverse"),
  ["list_flatten", ([list]) => sizeOf(list) + 1 + creation.list],
  ["list_flatten_int", ([list, depth]) => sizeOf(list) * Math.max(0, Number(depth as bigint)) + 1 + creation.list],
  ["list_distinct", compared(0)],
  ...[
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "bytes",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
  ].flatMap((type): [string, CallCost][] => [
    [`list_${type}_sort`, compared(0)],
    [`list_${type}_sortByAssociatedKeys`, compared(1)],
  ]),
  ...sameFor(bothSizes, "list_sets_contains_list list_sets_intersects_list"),
  ["list_sets_equivalent_list", ([a, b]) => 1 + 2 * sizeOf(a) * sizeOf(b)],
]);

const byName: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ["check", () => 350_000],
  ...sameFor(selector, "fieldSelector labelSelector"),
  ...sameFor(([first]) => traversal(first), "isSorted sum max min indexOf lastIndexOf"),
  ...sameFor(
    firstAsText,
    "url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR ip quantity isQuantity semver isSemver",
  ),
  ...sameFor(firstTwice, "replace split ip.isCanonical"),
  ["join", (_, result) => textCost(2 * sizeOf(result))],
  ...sameFor(searching, "find findAll"),
  ["validate", ([format, text]) => patternCost(sizeOf(text), format instanceof NamedFormat ? format.patternLength : 1)],
]);
