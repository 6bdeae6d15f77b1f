/** Compares two values of one type: gives the paths that were added, changed and removed. */
import { isRecord, own } from "../../../base/members.js";
import { deepEqual } from "../../../api/index.js";
import { fieldStep, stepOf } from "./list-items.js";
import { insert, isEmpty, leaf, type PathSet, union } from "./path-set.js";

import { type ApplyType, formOf, type ListType, type MapType, memberType } from "./types.js";

/** No path is in more than one of the three. */
export interface Comparison {
  readonly added: PathSet;
  readonly modified: PathSet;
  readonly removed: PathSet;
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** The comparison with each of its sets passed through `filter`. */
export function filtered(comparison: Comparison, filter: (set: PathSet) => PathSet): Comparison {
  return {
    added: filter(comparison.added),
    modified: filter(comparison.modified),
    removed: filter(comparison.removed),
  };
}

/** Parts that are the same object on both sides cost nothing to compare. */
export function compareTyped(before: unknown, after: unknown, type: ApplyType): Comparison {
  const walk = new Walk();
  walk.values(before, after, type);
  return walk.found;
}

/** The paths at which a new object differs from its kind's object without fields: the ones that its creator may own. */
export function createdPaths(empty: unknown, object: unknown, type: ApplyType): PathSet {
  const { added, modified } = compareTyped(empty, object, type);
  return union(added, modified);
}

/** Undefined means absent; null is a value. */
class Walk {
  readonly found = {
    added: {} as Record<string, PathSet>,
    modified: {} as Record<string, PathSet>,
    removed: {} as Record<string, PathSet>,
  };
  readonly #path: string[] = [];

  values(before: unknown, after: unknown, type: ApplyType): void {
    if (before === after) return;
    if (before === undefined) {
      insert(this.found.added, this.#path, everyPathOf(after, type));
      return;
    }
    const [formBefore, formAfter] = [formOf(type, before), formOf(type, after)];
    let isLeaf: boolean;
    if (after === undefined) isLeaf = this.#form(formBefore, before, after, type);
    else if (formBefore === formAfter) isLeaf = this.#form(formAfter, before, after, type);
    else {
      // the value changed its form (map, list, scalar): both forms count
      this.#form(formBefore, before, after, type);
      isLeaf = this.#form(formAfter, before, after, type);
    }
    if (!isLeaf && after === undefined) insert(this.found.removed, this.#path);
  }

  /** Gives whether the value was compared as one leaf. */
  #form(form: ReturnType<typeof formOf>, before: unknown, after: unknown, type: ApplyType): boolean {
    if (form === "map") return this.#maps(before, after, type.map as MapType);
    if (form === "list") return this.#lists(before, after, type.list as ListType);
    return this.#leaf(before, after);
  }

  #leaf(before: unknown, after: unknown): true {
    if (after === undefined) insert(this.found.removed, this.#path);
    else if (!deepEqual(before, after)) insert(this.found.modified, this.#path);
    return true;
  }

  #maps(before: unknown, after: unknown, type: MapType): boolean {
    const left = isRecord(before) ? before : {};
    const right = isRecord(after) ? after : {};
    const leftNames = Object.keys(left);
    const rightNames = Object.keys(right);
    if (type.atomic || (leftNames.length === 0 && rightNames.length === 0)) return this.#leaf(before, after);
    for (const name of leftNames) {
      const was = left[name];
      if (right[name] !== was) this.#member(was, own(right, name), type, name);
    }
    for (const name of rightNames) {
      if (!Object.hasOwn(left, name)) this.#member(undefined, right[name], type, name);
    }
    return false;
  }

  #member(before: unknown, after: unknown, type: MapType, name: string): void {
    const childType = memberType(type, name);
    if (childType !== undefined) this.#step(fieldStep(name), before, after, childType);
  }

  #lists(before: unknown, after: unknown, type: ListType): boolean {
    const left = Array.isArray(before) ? before : [];
    const right = Array.isArray(after) ? after : [];
    if (type.atomic || (left.length === 0 && right.length === 0)) return this.#leaf(before, after);
    const leftItems = byStep(left, type);
    const rightItems = byStep(right, type);
    for (const step of new Set([...leftItems.keys(), ...rightItems.keys()])) {
      this.#items(step, leftItems.get(step) ?? [], rightItems.get(step) ?? [], type);
    }
    return false;
  }

  /** Items with the same step (duplicates) are compared as one. */
  #items(step: string, left: readonly unknown[], right: readonly unknown[], type: ListType): void {
    if (left.length <= 1 && right.length <= 1) {
      this.#step(step, left[0], right[0], type.items);
    } else if (left.length >= 2 && right.length >= 2) {
      if (!deepEqual(left, right)) insert(this.found.modified, [...this.#path, step]);
    } else if (left.length >= 2) {
      if (right.length > 0) this.#step(step, undefined, right[0], type.items);
      insert(this.found.removed, [...this.#path, step]);
    } else {
      if (left.length > 0) this.#step(step, left[0], undefined, type.items);
      insert(this.found.added, [...this.#path, step]);
    }
  }

  #step(step: string, before: unknown, after: unknown, type: ApplyType): void {
    this.#path.push(step);
    this.values(before, after, type);
    this.#path.pop();
  }
}

/** The paths to a value and to all of its parts, as a node. Duplicates among items count as one. */
function everyPathOf(value: unknown, type: ApplyType): PathSet {
  const form = formOf(type, value);
  if (form === "map" && isRecord(value)) return everyPathOfMap(value, type.map as MapType);
  if (form === "list" && Array.isArray(value)) return everyPathOfList(value, type.list as ListType);
  return leaf;
}

function everyPathOfMap(value: Readonly<Record<string, unknown>>, type: MapType): PathSet {
  if (type.atomic) return leaf;
  let node: Record<string, PathSet> | undefined;
  // in the order in which sets are written
  for (const name of Object.keys(value).sort()) {
    const child = value[name];
    const childType = child === undefined ? undefined : memberType(type, name);
    if (childType === undefined) continue;
    node ??= { ".": leaf };
    node[fieldStep(name)] = everyPathOf(child, childType);
  }
  return node ?? leaf;
}

function everyPathOfList(items: readonly unknown[], type: ListType): PathSet {
  if (type.atomic || items.length === 0) return leaf;
  const node: Record<string, PathSet> = { ".": leaf };
  for (const [step, same] of byStep(items, type)) {
    node[step] = same.length === 1 ? everyPathOf(same[0], type.items) : leaf;
  }
  return node;
}

function byStep(items: readonly unknown[], type: ListType): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const step = stepOf(type, item);
    if (step === undefined) continue;
    const same = found.get(step);
    if (same === undefined) found.set(step, [item]);
    else same.push(item);
  }
  return found;
}
