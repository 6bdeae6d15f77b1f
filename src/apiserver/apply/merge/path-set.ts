/**
 * Sets of field paths, in the form in which managedFields carries them (`fieldsV1`). The JSON is the set: nothing is
 * parsed or printed.
 *
 * A key of the JSON is one step of a path: `f:name` a field, `k:{"name":"x"}` a list item by its keys, `v:"x"` a list
 * item by its value, `i:0` a list item by its index. An empty object says that the path to it is in the set; `"."` says
 * the same of a path that longer paths go through.
 *
 * Sets are never modified, and an operation without effect gives its argument back, so equal sets are often the same
 * object.
 */
import { without } from "../../../base/members.js";
import { type CompareSteps, isElement, stepOrder } from "./path-element.js";

export interface PathSet {
  readonly [step: string]: PathSet;
}

/** A node whose path is in the set, with no longer paths below it. */
export const leaf: PathSet = Object.freeze({});
const self = ".";

function isMember(node: PathSet): boolean {
  return Object.hasOwn(node, self) || isEmpty(node);
}

/** True if no path is in the set. Only for a whole set: as a node, the empty object means "in the set". */
export function isEmpty(set: PathSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** The paths that are in either set. */
export function union(a: PathSet, b: PathSet): PathSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : united(a, b);
}

/** Neither node is empty. */
function united(a: PathSet, b: PathSet): PathSet {
  let result: Record<string, PathSet> | undefined;
  for (const step in b) {
    const theirs = b[step] as PathSet;
    const ours = a[step];
    const both = ours === undefined ? theirs : unionOfNodes(ours, theirs);
    if (both !== ours) (result ??= { ...a })[step] = both;
  }
  return result ?? a;
}

function unionOfNodes(a: PathSet, b: PathSet): PathSet {
  if (a === b) return a;
  // an empty node means that its path is in the set: it becomes a "." beside the other's children
  if (isEmpty(b)) return isMember(a) ? a : { [self]: leaf, ...a };
  if (isEmpty(a)) return isMember(b) ? b : { [self]: leaf, ...b };
  return united(a, b);
}

/** The paths that are in both sets. */
export function intersection(a: PathSet, b: PathSet): PathSet {
  return (
    combined(a, b, { member: Object.hasOwn(a, self) && Object.hasOwn(b, self), nodes: intersectionOfNodes }) ?? leaf
  );
}

function intersectionOfNodes(a: PathSet, b: PathSet | undefined): PathSet | undefined {
  if (b === undefined) return undefined;
  if (isEmpty(a)) return isMember(b) ? a : undefined;
  return combined(a, b, { member: Object.hasOwn(a, self) && isMember(b), nodes: intersectionOfNodes });
}

/** The paths of `a` that are not in `b`. Paths below a path of `b` stay. */
export function difference(a: PathSet, b: PathSet): PathSet {
  if (isEmpty(b)) return a;
  const member = Object.hasOwn(a, self) && !Object.hasOwn(b, self);
  return combined(a, b, { member, nodes: differenceOfNodes }) ?? leaf;
}

function differenceOfNodes(a: PathSet, b: PathSet | undefined): PathSet | undefined {
  if (b === undefined) return a;
  if (isEmpty(a)) return isMember(b) ? undefined : a;
  const member = Object.hasOwn(a, self) && !isMember(b);
  return combined(a, b, { member, nodes: differenceOfNodes });
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function recursiveDifference(a: PathSet, b: PathSet): PathSet {
  if (isEmpty(b)) return a;
  const member = Object.hasOwn(a, self) && !Object.hasOwn(b, self);
  return combined(a, b, { member, nodes: remainderOfNodes }) ?? leaf;
}

function remainderOfNodes(a: PathSet, b: PathSet | undefined): PathSet | undefined {
  if (b === undefined) return a;
  if (isMember(b)) return undefined;
  return isEmpty(a) ? a : combined(a, b, { member: Object.hasOwn(a, self), nodes: remainderOfNodes });
}

interface Combination {
  /** Whether the path to the node itself is in the result. */
  readonly member: boolean;
  /** The node of the result for a step at which the sets have these nodes; undefined drops the step. */
  nodes(a: PathSet, b: PathSet | undefined): PathSet | undefined;
}

/**
 * Combines each step of `a` with the node of `b` at the same step. Gives `a` itself if nothing changes, and undefined if
 * no path is left. The work grows with the steps of `a` alone. `a` may be empty as a whole set, but not as a node.
 */
function combined(a: PathSet, b: PathSet, { member, nodes }: Combination): PathSet | undefined {
  const isKept = member === Object.hasOwn(a, self);
  let result: Record<string, PathSet> | undefined = isKept ? undefined : member ? { [self]: leaf } : {};
  let left = member ? 1 : 0;
  for (const step in a) {
    if (step === self) {
      if (member && result !== undefined) result[self] = leaf;
      continue;
    }
    const node = a[step] as PathSet;
    const found = nodes(node, b[step]);
    if (found !== node && result === undefined) {
      result = {};
      for (const same in a) {
        if (same === step) break;
        result[same] = a[same] as PathSet;
      }
    }
    if (found === undefined) continue;
    left++;
    if (result !== undefined) result[step] = found;
  }
  if (result === undefined) return a;
  if (left === 0) return undefined;
  return member && left === 1 ? leaf : result;
}

/** The children of a node, as a set. */
function withoutSelf(node: PathSet): PathSet {
  return Object.hasOwn(node, self) ? without(node, self) : node;
}

/** Whether the path of this one step is in the set. */
export function hasStep(set: PathSet, step: string): boolean {
  const node = set[step];
  return node !== undefined && isMember(node);
}

/** The paths that go through a step, without that step; the empty set if there are none. */
export function below(set: PathSet, step: string): PathSet {
  const node = set[step];
  return node === undefined ? leaf : withoutSelf(node);
}

export function hasPath(set: PathSet, path: readonly string[]): boolean {
  let node: PathSet | undefined = set;
  for (const step of path) {
    node = node[step];
    if (node === undefined) return false;
  }
  return isMember(node);
}

export function setOf(...paths: readonly (readonly string[])[]): PathSet {
  const set: Record<string, PathSet> = {};
  for (const path of paths) insert(set, path);
  return set;
}

/**
 * Adds a path, with the set below it, to a set under construction. Only for sets that this function alone has made. A
 * node other than a leaf must come where nothing is yet, and nothing may be inserted below it later.
 */
export function insert(set: Record<string, PathSet>, path: readonly string[], below: PathSet = leaf): void {
  let node = set;
  const last = path.length - 1;
  for (let i = 0; i < last; i++) {
    const step = path[i] as string;
    const next = node[step];
    if (next === undefined) node = node[step] = {};
    else if (next === leaf) node = node[step] = { [self]: leaf };
    else node = next as Record<string, PathSet>;
  }
  const step = path[last];
  if (step === undefined) return;
  const there = node[step];
  if (there === undefined) node[step] = below;
  else if (there !== leaf) (there as Record<string, PathSet>)[self] = leaf;
}

/** All paths, those of one level before those below it: the order in which conflicts are listed. */
export function* pathsOf(
  set: PathSet,
  prefix: readonly string[] = [],
  compare: CompareSteps = stepOrder(),
): Generator<readonly string[]> {
  const steps = Object.keys(set)
    .filter((step) => step !== self)
    .sort(compare);
  for (const step of steps) if (isMember(set[step] as PathSet)) yield [...prefix, step];
  for (const step of steps) yield* pathsOf(set[step] as PathSet, [...prefix, step], compare);
}

export function equalSets(a: PathSet, b: PathSet): boolean {
  if (a === b) return true;
  const steps = Object.keys(a);
  if (steps.length !== Object.keys(b).length) return false;
  return steps.every((step) => Object.hasOwn(b, step) && equalSets(a[step] as PathSet, b[step] as PathSet));
}

/** The same set with its steps in upstream's order of writing. */
export function inOrder(node: PathSet, compare: CompareSteps = stepOrder()): PathSet {
  if (node === leaf) return node;
  const steps = Object.keys(node);
  let same = true;
  for (let i = 1; same && i < steps.length; i++) same = compare(steps[i - 1] as string, steps[i] as string) <= 0;
  if (!same) steps.sort(compare);
  let result: Record<string, PathSet> | undefined = same ? undefined : {};
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as string;
    const child = node[step] as PathSet;
    const sorted = inOrder(child, compare);
    if (sorted !== child && result === undefined) {
      result = {};
      for (const done of steps.slice(0, i)) result[done] = node[done] as PathSet;
    }
    if (result !== undefined) result[step] = sorted;
  }
  return result ?? node;
}

/** Reads a client's `fieldsV1`; drops steps of unknown kind, and throws for any other fault. */
export function parsePathSet(value: unknown): PathSet {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("fieldsV1 is not an object");
  const set: Record<string, PathSet> = {};
  for (const [step, node] of Object.entries(value)) {
    if (step === self) set[self] = leaf;
    else if (isElement(step)) set[step] = parsePathSet(node);
  }
  return set;
}
