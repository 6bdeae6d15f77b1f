/**
 * Computes the owners after a write. Takes the live and the new (or applied) object with the sets of all managers,
 * gives the merged object and the sets afterwards. Pure: sets and objects are shared and never modified.
 */
import { deepEqual, type ManagedFieldsEntry } from "../../../api/index.js";
import type { Steps } from "../../../base/index.js";
import { compareTyped, type Comparison, filtered, isSame } from "./compare.js";
import { fieldsOf } from "./fields.js";
import { merge } from "./merge.js";
import { difference, leaf, intersection, isEmpty, type PathSet, pathsOf, union } from "./path-set.js";
import type { Reconcile } from "./reconcile.js";
import { removeItems, withNamedFields } from "./remove.js";
import type { ApplyType } from "./types.js";

/** The fields that one manager owns, in the version in which it wrote. */
export interface Owned {
  readonly set: PathSet;
  readonly apiVersion: string;
  /** True if owned by apply, false if by update. */
  readonly applied: boolean;
  /** The stored entry. If it still has this very set, the set is in order and need not be encoded again. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** Owned fields by manager identifier. */
export type Owners = ReadonlyMap<string, Owned>;

export interface Conflict {
  readonly manager: string;
  readonly path: readonly string[];
}

/** An apply would change fields that others own. */
export class ApplyConflicts extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/** The versions of one kind. */
export interface Versions {
  /** The type of the kind in a version; undefined if the version is not served (any more). */
  typeOf(apiVersion: string): ApplyType | undefined;
  /** The object in that version; undefined if it cannot be converted. */
  convert(object: unknown, apiVersion: string): unknown;
  /** Removes the fields that no manager comes to own at this endpoint. */
  owned(set: PathSet, apiVersion: string): PathSet;
  readonly reconcile: Reconcile;
}

export interface Write {
  readonly live: unknown;
  readonly owners: Owners;
  /** The identifier of the writing manager. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly versions: Versions;
}

/**
 * The owners after an update: the manager owns the fields that it changed, and others no longer do. The caller may
 * modify the map.
 */
export function* ownersAfterUpdate(next: unknown, write: Write): Steps<Map<string, Owned>> {
  const { manager, apiVersion, versions } = write;
  const comparisons = new Comparisons(next, write);
  const comparison = comparisons.in(apiVersion) as Comparison;
  yield;
  const owners = yield* settle(comparisons, { ...write, owners: reconcile(write) }, true);
  yield;
  const previous = owners.get(manager)?.set ?? leaf;
  const kept = versions.owned(difference(previous, comparison.removed), apiVersion);
  yield;
  // a comparison holds only fields that can be owned
  const changed = union(kept, comparison.modified);
  yield;
  const set = union(changed, comparison.added);
  if (isEmpty(set)) owners.delete(manager);
  else owners.set(manager, { set, apiVersion, applied: false });
  return owners;
}

export interface Applied {
  /** The live object itself if the apply changes no value. */
  readonly object: unknown;
  readonly changed: boolean;
  readonly owners: Owners;
}

/** The result of an apply: the manager owns exactly the fields that it applied. Throws ApplyConflicts unless forced. */
export function* applyOver(config: unknown, write: Write, force: boolean): Steps<Applied> {
  const { live, manager, apiVersion, versions } = write;
  const type = versions.typeOf(apiVersion) as ApplyType;
  const reconciled = reconcile(write);
  yield;
  const merged = merge(live, config, type);
  const last = reconciled.get(manager);
  yield;
  const set = versions.owned(fieldsOf(config, type), apiVersion);
  yield;
  const claimed = new Map(reconciled).set(manager, { set, apiVersion, applied: true });
  const pruned = last === undefined ? merged : yield* prune(merged, last, claimed, write);
  yield;
  const owners = yield* settle(new Comparisons(pruned, write), { ...write, owners: claimed }, force);
  yield;
  const changed = pruned !== live && !deepEqual(live, pruned);
  return { object: changed ? pruned : live, changed, owners };
}

function reconcile({ owners, versions }: Write): Owners {
  const result = new Map<string, Owned>();
  for (const [manager, owned] of owners) {
    const type = versions.typeOf(owned.apiVersion);
    // the owners in a version that is no longer served are dropped
    if (type === undefined) continue;
    const set = versions.reconcile(owned.set, type);
    result.set(manager, set === owned.set ? owned : { ...owned, set });
  }
  return result;
}

/** Takes the changed fields away from all other managers. Unless forced, it is a conflict if another manager has any of them. */
function* settle(comparisons: Comparisons, { owners, manager }: Write, force: boolean): Steps<Map<string, Owned>> {
  const result = new Map<string, Owned>();
  const conflicts: Conflict[] = [];
  for (const [other, owned] of owners) {
    if (other === manager) {
      if (!isEmpty(owned.set)) result.set(other, owned);
      continue;
    }
    const seen = comparisons.in(owned.apiVersion);
    if (seen === undefined) continue;
    yield;
    let { set } = owned;
    if (!isSame(seen)) {
      if (!force) {
        const contested = intersection(set, union(seen.modified, seen.added));
        yield;
        for (const path of pathsOf(contested)) conflicts.push({ manager: other, path });
      }
      for (const taken of [seen.modified, seen.added, seen.removed]) {
        yield;
        set = difference(set, taken);
      }
    }
    if (!isEmpty(set)) result.set(other, set === owned.set ? owned : { ...owned, set });
  }
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts);
  return result;
}

/** The comparison of the live object with the next one in each version, made when somebody asks for it. */
class Comparisons {
  readonly #made = new Map<string, Comparison | undefined>();
  readonly #next: unknown;
  readonly #write: Write;

  constructor(next: unknown, write: Write) {
    this.#next = next;
    this.#write = write;
  }

  /** Undefined for a version that is not served, or into which an object cannot be converted. */
  in(version: string): Comparison | undefined {
    if (!this.#made.has(version)) this.#made.set(version, this.#make(version));
    return this.#made.get(version);
  }

  #make(version: string): Comparison | undefined {
    const { live, apiVersion, versions } = this.#write;
    const type = versions.typeOf(version);
    const before = version === apiVersion ? live : versions.convert(live, version);
    const after = version === apiVersion ? this.#next : versions.convert(this.#next, version);
    if (type === undefined || before === undefined || after === undefined) return undefined;
    return filtered(compareTyped(before, after, type), (set) => versions.owned(set, version));
  }
}

/** Removes the fields that the manager applied last time, does not apply now, and no other manager owns. */
function* prune(
  merged: unknown,
  last: Owned,
  claimed: Owners,
  { manager, apiVersion, versions }: Write,
): Steps<unknown> {
  const now = claimed.get(manager) as Owned;
  if (last.apiVersion === apiVersion && isEmpty(difference(last.set, now.set))) return merged;
  yield;
  const version = last.apiVersion;
  const type = versions.typeOf(version);
  const whole = version === apiVersion ? merged : versions.convert(merged, version);
  if (type === undefined || whole === undefined) return merged;
  const lastFields = withNamedFields(last.set, type);
  yield;
  let pruned = removeItems(whole, lastFields, type);
  for (const [ownerVersion, set] of yield* ownedByVersion(claimed, version)) {
    yield;
    pruned = yield* addBackOwned(whole, pruned, set, { version, ownerVersion, versions });
  }
  const before = yield* namedFieldsOf(whole, type);
  const after = yield* namedFieldsOf(pruned, type);
  const gone = intersection(difference(before, after), lastFields);
  yield;
  const result = removeItems(whole, gone, type);
  return version === apiVersion ? result : (versions.convert(result, apiVersion) ?? merged);
}

function* namedFieldsOf(value: unknown, type: ApplyType): Steps<PathSet> {
  const fields = fieldsOf(value, type);
  yield;
  const named = withNamedFields(fields, type);
  yield;
  return named;
}

/**
 * The union of the owners' sets by version. The version of the pruning comes first, so that the fields that conversions
 * need are there.
 */
function* ownedByVersion(owners: Owners, first: string): Steps<ReadonlyMap<string, PathSet>> {
  const result = new Map<string, PathSet>([[first, leaf]]);
  for (const { apiVersion, set } of owners.values()) {
    yield;
    result.set(apiVersion, union(result.get(apiVersion) ?? leaf, set));
  }
  return result;
}

interface AddBack {
  /** The version of `whole` and `pruned`. */
  readonly version: string;
  readonly ownerVersion: string;
  readonly versions: Versions;
}

function* addBackOwned(
  whole: unknown,
  pruned: unknown,
  owned: PathSet,
  { version, ownerVersion, versions }: AddBack,
): Steps<unknown> {
  const type = versions.typeOf(ownerVersion);
  const same = version === ownerVersion;
  const [all, left] = same
    ? [whole, pruned]
    : [versions.convert(whole, ownerVersion), versions.convert(pruned, ownerVersion)];
  if (type === undefined || all === undefined || left === undefined) return pruned;
  const kept = union(yield* namedFieldsOf(left, type), withNamedFields(owned, type));
  const surplus = difference(yield* namedFieldsOf(all, type), kept);
  yield;
  const result = removeItems(all, surplus, type);
  return same ? result : (versions.convert(result, version) ?? pruned);
}
