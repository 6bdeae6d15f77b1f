/** Estimates a call from the sizes of its arguments: its greatest cost, and the size of its result. */
import type { Type } from "../values/types.js";
import type { Expr } from "../syntax/ast.js";
import { creation, textCost } from "./call-costs.js";
import { exactly, product, type Size, sum, times, unknown } from "./sizes.js";

export interface CallNode {
  readonly expr: Expr;
  readonly type: Type;
  readonly size: Size;
  /** The size of the list's items, if the schema limits it. */
  itemSize(): Size;
}

export interface Call {
  readonly id: string;
  readonly target: CallNode | undefined;
  readonly args: readonly CallNode[];
}

/** The cost and size of the call alone, without its arguments. */
export interface CallEstimate {
  readonly cost: number;
  readonly size?: Size;
}

type Estimate = (call: Call) => CallEstimate;

const constant: CallEstimate = { cost: 1 };

export function callEstimate(name: string, call: Call): CallEstimate {
  return (byOverload.get(call.id) ?? byName.get(name) ?? (() => constant))(call);
}

const patternCost = (text: number, pattern: number): number => times(textCost(text + 1), Math.ceil(pattern / 4));
const sizeOf = (node: CallNode | undefined): Size => node?.size ?? unknown;

/** A function that reads a text once and gives a text that is no longer. */
const passed: Estimate = ({ target, args }) => {
  const size = sizeOf(target ?? args[0]);
  return { cost: textCost(size.max), size };
};
const firstRead: Estimate = ({ args }) => ({ cost: textCost(sizeOf(args[0]).max) });
const searched: Estimate = ({ target, args }) => {
  const [text, pattern] = target === undefined ? args : [target, ...args];
  return { cost: patternCost(sizeOf(text).max, sizeOf(pattern).max), size: { min: 0, max: sizeOf(text).max } };
};

const shorter: Estimate = ({ args: [a, b] }) => ({ cost: textCost(Math.min(sizeOf(a).max, sizeOf(b).max)) });

const unitTypes = /^(?:net\.IP|net\.CIDR|kubernetes\.(?:Quantity|Semver|URL|authorization\..*))$/;

const equality: Estimate = (call) => {
  const [a, b] = call.args as [CallNode, CallNode];
  if (a.type.name !== b.type.name) return shorter(call);
  if (a.type.name === "kubernetes.NamedFormat") return { cost: textCost(64) };
  return unitTypes.test(a.type.name) ? constant : shorter(call);
};

const concatenated: Estimate = ({ id, args: [a, b] }) => {
  const size = sum(sizeOf(a), sizeOf(b));
  return { cost: id === "add_list" ? 1 : textCost(size.max), size };
};

/** Functions that search a list: items are compared one by one, texts in them character by character. */
const looked: Estimate = ({ target }) => {
  if (target === undefined) return constant;
  const [item] = target.type.params;
  if (item === undefined) return { cost: textCost(target.size.max) };
  const isText = item.kind === "string" || item.kind === "bytes";
  return { cost: times(target.size.max, 1 + (isText ? textCost(target.itemSize().max) : 0)) };
};

const replaced: Estimate = ({ target, args }) => {
  const [text, from, to] = [sizeOf(target), sizeOf(args[0]), sizeOf(args[1])];
  // the longest result: as many replacements as the shortest `from` allows, each by the longest `to`
  const most = from.min === 0 ? text.max + 1 : to.max <= from.min ? 0 : Math.ceil(text.max / from.min);
  const kept = from.min === 0 || to.max <= from.min ? text.max : 0;
  const fewest = from.max === 0 ? text.min + 1 : from.max <= to.min ? 0 : Math.ceil(text.min / from.max);
  const keptAtLeast = from.max === 0 || from.max <= to.min ? text.min : 0;
  const size = sum(product({ min: fewest, max: most }, to), { min: keptAtLeast, max: kept });
  return { cost: textCost(2 * text.max), size };
};

const split: Estimate = ({ target, args: [, most] }) => {
  const { max } = sizeOf(target);
  const limit = most?.expr.type === "literal" && typeof most.expr.value === "bigint" ? most.expr.value : undefined;
  const parts = limit === undefined ? max : limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  return { cost: textCost(2 * max), size: { min: 0, max: parts } };
};

const joined: Estimate = ({ target, args: [separator] }) => {
  const list = sizeOf(target);
  const texts = target === undefined ? unknown : product(list, target.itemSize());
  const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = separator === undefined ? texts : sum(texts, product(separator.size, between));
  return { cost: textCost(size.max), size };
};

const selector: Estimate = ({ args: [text] }) => {
  const { max } = sizeOf(text);
  return { cost: creation.list + textCost(max) + Math.ceil(max / 2) * (creation.list + creation.struct) };
};

/** 16 bytes hold the widest address. */
const contained =
  (withText: boolean, masked: boolean): Estimate =>
  ({ args }) => ({
    cost: textCost(32) + (masked ? textCost(16) + 1 : 0) + (withText ? textCost(sizeOf(args[0]).max) : 0),
  });

/** A list that is made by looking `factor` times at each item. */
const listOf = (factor: number, size: Size): CallEstimate => ({
  cost: Math.ceil(times(size.max, factor)) + 1 + creation.list,
  size,
});

/** The value of an integer literal; `otherwise` for any other expression. */
function written(node: CallNode | undefined, otherwise: number): number {
  const value = node?.expr.type === "literal" ? node.expr.value : undefined;
  return typeof value === "bigint" ? Math.max(0, Number(value)) : otherwise;
}

const sliced: Estimate = ({ target, args: [start, end] }) => {
  const length = written(end, sizeOf(target).max) - written(start, 0);
  return listOf(1, exactly(length < 0 ? Number.POSITIVE_INFINITY : length));
};

const flattened: Estimate = ({ target, args: [depth] }) =>
  listOf(depth === undefined ? 1 : written(depth, Number.POSITIVE_INFINITY), sizeOf(target));

const squared =
  (factor: number, of: (call: Call) => CallNode | undefined): Estimate =>
  (call) => {
    const size = sizeOf(of(call));
    return listOf(factor, product(size, size));
  };

const setsCost =
  (factor: number): Estimate =>
  ({ args: [a, b] }) => ({ cost: times(times(sizeOf(a).max, sizeOf(b).max), factor) + 1 });

const sameFor = (estimate: Estimate, names: string): readonly (readonly [string, Estimate])[] =>
  names.split(" ").map((name) => [name, estimate]);

const sortable = [
  "int",
  "uint",
  "double",
  "bool",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
  "string",
  "bytes",
];

const byOverload: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ["string_format", ({ target }) => ({ cost: textCost(sizeOf(target).max) })],
  [
    "string_to_bytes",
    ({ args: [a] }) => ({ cost: textCost(sizeOf(a).max), size: { min: sizeOf(a).min, max: sizeOf(a).max * 4 } }),
  ],
  [
    "bytes_to_string",
    ({ args: [a] }) => ({
      cost: textCost(sizeOf(a).max),
      size: { min: Math.floor(sizeOf(a).min / 4), max: sizeOf(a).max },
    }),
  ],
  [
    "strings_quote",
    ({ args: [a] }) => ({
      cost: textCost(sizeOf(a).max),
      size: { min: sizeOf(a).min + 2, max: sizeOf(a).max * 2 + 2 },
    }),
  ],
  ...sameFor(firstRead, "starts_with_string ends_with_string"),
  ["in_list", ({ args: [, list] }) => ({ cost: sizeOf(list).max })],
  ["matches_string", ({ target, args }) => ({ cost: patternCost(sizeOf(target).max, sizeOf(args[0]).max) })],
  [
    "contains_string",
    ({ target, args }) => ({ cost: times(textCost(sizeOf(target).max), textCost(sizeOf(args[0]).max)) }),
  ],
  ...sameFor(concatenated, "add_string add_bytes add_list"),
  ...sameFor(
    shorter,
    "less_string greater_string less_equals_string greater_equals_string less_bytes greater_bytes less_equals_bytes greater_equals_bytes not_equals",
  ),
  ["equals", equality],
  ["cidr_ip", () => constant],
  ["cidr_contains_ip_string", contained(true, false)],
  ["cidr_contains_ip_ip", contained(false, false)],
  ["cidr_contains_cidr_string", contained(true, true)],
  ["cidr_contains_cidr", contained(false, true)],
  ["list_slice", sliced],
  ...sameFor(flattened, "list_flatten list_flatten_int"),
  ["lists_range", ({ args: [count] }) => listOf(1, exactly(written(count, Number.POSITIVE_INFINITY)))],
  ["list_reverse", ({ target }) => listOf(1, sizeOf(target))],
  ["list_distinct", squared(2, ({ target }) => target)],
  ...sortable.flatMap((type): [string, Estimate][] => {
    const factor = type === "string" || type === "bytes" ? 2.1 : 2;
    return [
      [`list_${type}_sort`, squared(factor, ({ target }) => target)],
      [`list_${type}_sortByAssociatedKeys`, squared(factor, ({ args }) => args[0])],
    ];
  }),
  ...sameFor(setsCost(1), "list_sets_contains_list list_sets_intersects_list"),
  ["list_sets_equivalent_list", setsCost(2)],
]);

const byName: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ["check", () => ({ cost: 350_000 })],
  ...sameFor(selector, "fieldSelector labelSelector"),
  ...sameFor(looked, "isSorted sum max min indexOf lastIndexOf"),
  ...sameFor(passed, "url lowerAscii upperAscii substring trim"),
  ["replace", replaced],
  ["split", split],
  ["join", joined],
  ...sameFor(searched, "find findAll"),
  ...sameFor(firstRead, "cidr isIP isCIDR ip quantity isQuantity semver isSemver"),
  ["ip.isCanonical", ({ args: [text] }) => ({ cost: textCost(2 * sizeOf(text).max) })],
  ["validate", ({ args: [text] }) => ({ cost: times(textCost(sizeOf(text).max), 32) })],
]);
