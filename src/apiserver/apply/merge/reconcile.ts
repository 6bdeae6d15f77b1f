/** Brings a set that was written under an older schema of a custom kind in line with the present schema. */
import { getOrMake } from "../../../base/containers/recent.js";
import { insert, isEmpty, type PathSet, recursiveDifference, union } from "./path-set.js";
import type { ApplyType, ListType, MapType } from "./types.js";

/** Gives the set that a manager owns under a type; remembers it by set and type, as long as both are in use. */
export type Reconcile = (set: PathSet, type: ApplyType) => PathSet;

export function reconciler(): Reconcile {
  const reconciled = new WeakMap<ApplyType, WeakMap<PathSet, PathSet>>();
  return (set, type) => {
    const known = getOrMake(reconciled, type, () => new WeakMap());
    return getOrMake(known, set, () => reconcileWithType(set, type));
  };
}

/**
 * A field that has become atomic is owned as a whole by every manager that owned a part of it. A field that was atomic
 * and is granular now stays owned as it was.
 */
function reconcileWithType(set: PathSet, type: ApplyType): PathSet {
  const whole: Record<string, PathSet> = {};
  visit(set, type, [], whole);
  return isEmpty(whole) ? set : union(recursiveDifference(set, whole), whole);
}

/** Collects the paths that are atomic now but have paths below them in the set. `path` is the current position. */
function visit(set: PathSet, type: ApplyType, path: string[], whole: Record<string, PathSet>): void {
  if (type.map !== undefined) visitMap(set, type.map, path, whole);
  else if (type.scalar === undefined && type.list !== undefined) visitList(set, type.list, path, whole);
}

function visitMap(set: PathSet, type: MapType, path: string[], whole: Record<string, PathSet>): void {
  if (type.deduced === true) return;
  if (type.atomic) {
    if (path.length > 0 && hasChildren(set)) insert(whole, path);
    return;
  }
  for (const step in set) {
    if (step === ".") continue;
    const child = step.startsWith("f:") ? (type.field(step.slice(2))?.type ?? type.others) : type.others;
    if (child === undefined) continue;
    path.push(step);
    visit(set[step] as PathSet, child, path, whole);
    path.pop();
  }
}

function visitList(set: PathSet, type: ListType, path: string[], whole: Record<string, PathSet>): void {
  if (type.atomic) {
    if (hasChildren(set)) insert(whole, path);
    return;
  }
  for (const step in set) {
    if (step === ".") continue;
    path.push(step);
    visit(set[step] as PathSet, type.items, path, whole);
    path.pop();
  }
}

function hasChildren(node: PathSet): boolean {
  for (const step in node) if (step !== ".") return true;
  return false;
}
