/**
 * Who owns what after a write. Takes the live and the new (or applied) object with the sets of all managers, gives the merged object and
 * the sets afterwards. Pure: sets and objects are shared and never modified.
 */
import { deepEqual, type ManagedFieldsEntry } from "../../../api/index.js";
import { compare, type Comparison, filtered, isSame } from "./compare.js";
import { fieldsOf } from "./fields.js";
import { merge } from "./merge.js";
import { difference, emptySet, intersection, isEmpty, type PathSet, pathsOf, union } from "./path-set.js";
import { reconcileWithType } from "./reconcile.js";
import { removeItems, withNamedFields } from "./remove.js";
import type { ApplyType } from "./types.js";

/** What one manager owns, in the version in which it wrote. */
export interface Owned {
  readonly set: PathSet;
  readonly apiVersion: string;
  /** By apply, not by update. */
  readonly applied: boolean;
  /** As which it is stored; whose set, if it is still this one, is in order. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** By manager identifier. */
export type Owners = ReadonlyMap<string, Owned>;

export interface Conflict {
  readonly manager: string;
  readonly path: readonly string[];
}

/** An apply would change what others own. */
export class ApplyConflicts extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/** The versions in which one kind can be seen. */
export interface Versions {
  /** The type of the kind in a version; undefined if it is not served (any more). */
  typeOf(apiVersion: string): ApplyType | undefined;
  /** The object as that version shows it; undefined if it cannot be shown. */
  convert(object: unknown, apiVersion: string): unknown;
  /** Takes away the fields that nobody comes to own at this endpoint. */
  owned(set: PathSet, apiVersion: string): PathSet;
}

export interface Write {
  readonly live: unknown;
  readonly owners: Owners;
  /** The identifier of the manager who writes. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly versions: Versions;
}

/** After an update: the manager owns what it changed, and others own that no more. The map is the caller's own. */
export function ownersAfterUpdate(next: unknown, write: Write): Map<string, Owned> {
  const { manager, apiVersion, versions } = write;
  const { owners, comparison } = settle(next, { ...write, owners: reconcile(write) }, true);
  const previous = owners.get(manager)?.set ?? emptySet;
  const kept = versions.owned(difference(previous, comparison.removed), apiVersion);
  // a comparison holds only what can be owned
  const set = union(union(kept, comparison.modified), comparison.added);
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

/** After an apply: the manager owns exactly what it applied. Throws ApplyConflicts unless forced. */
export function applyOver(config: unknown, write: Write, force: boolean): Applied {
  const { live, manager, apiVersion, versions } = write;
  const type = versions.typeOf(apiVersion) as ApplyType;
  const reconciled = reconcile(write);
  const merged = merge(live, config, type);
  const last = reconciled.get(manager);
  const set = versions.owned(fieldsOf(config, type), apiVersion);
  const claimed = new Map(reconciled).set(manager, { set, apiVersion, applied: true });
  const pruned = last === undefined ? merged : prune(merged, last, claimed, write);
  const { owners } = settle(pruned, { ...write, owners: claimed }, force);
  const changed = pruned !== live && !deepEqual(live, pruned);
  return { object: changed ? pruned : live, changed, owners };
}

function reconcile({ owners, versions }: Write): Owners {
  const result = new Map<string, Owned>();
  for (const [manager, owned] of owners) {
    const type = versions.typeOf(owned.apiVersion);
    // a version that is gone takes its owners with it
    if (type === undefined) continue;
    const set = reconcileWithType(owned.set, type);
    result.set(manager, set === owned.set ? owned : { ...owned, set });
  }
  return result;
}

/** Takes what changed away from all managers but the one who writes; unless forced, that they have it at all is a conflict. */
function settle(
  next: unknown,
  { live, owners, manager, apiVersion, versions }: Write,
  force: boolean,
): { readonly owners: Map<string, Owned>; readonly comparison: Comparison } {
  const comparisons = new Map<string, Comparison | undefined>();
  const comparisonIn = (version: string): Comparison | undefined => {
    if (!comparisons.has(version)) comparisons.set(version, compareIn(version, live, next, { apiVersion, versions }));
    return comparisons.get(version);
  };
  const comparison = comparisonIn(apiVersion) as Comparison;
  const result = new Map<string, Owned>();
  const conflicts: Conflict[] = [];
  for (const [other, owned] of owners) {
    if (other === manager) {
      if (!isEmpty(owned.set)) result.set(other, owned);
      continue;
    }
    const seen = comparisonIn(owned.apiVersion);
    if (seen === undefined) continue;
    let { set } = owned;
    if (!isSame(seen)) {
      if (!force) {
        const contested = intersection(set, union(seen.modified, seen.added));
        for (const path of pathsOf(contested)) conflicts.push({ manager: other, path });
      }
      set = difference(difference(difference(set, seen.modified), seen.added), seen.removed);
    }
    if (!isEmpty(set)) result.set(other, set === owned.set ? owned : { ...owned, set });
  }
  if (conflicts.length > 0) throw new ApplyConflicts(conflicts);
  return { owners: result, comparison };
}

function compareIn(
  version: string,
  live: unknown,
  next: unknown,
  { apiVersion, versions }: Pick<Write, "apiVersion" | "versions">,
): Comparison | undefined {
  const type = versions.typeOf(version);
  const before = version === apiVersion ? live : versions.convert(live, version);
  const after = version === apiVersion ? next : versions.convert(next, version);
  if (type === undefined || before === undefined || after === undefined) return undefined;
  return filtered(compare(before, after, type), (set) => versions.owned(set, version));
}

/** Removes what the manager applied last time, does not apply now, and nobody else owns. */
function prune(merged: unknown, last: Owned, claimed: Owners, { manager, apiVersion, versions }: Write): unknown {
  const now = claimed.get(manager) as Owned;
  if (last.apiVersion === apiVersion && isEmpty(difference(last.set, now.set))) return merged;
  const version = last.apiVersion;
  const type = versions.typeOf(version);
  const whole = version === apiVersion ? merged : versions.convert(merged, version);
  if (type === undefined || whole === undefined) return merged;
  const lastFields = withNamedFields(last.set, type);
  let pruned = removeItems(whole, lastFields, type);
  for (const [ownerVersion, set] of ownedByVersion(claimed, version)) {
    pruned = addBackOwned(whole, pruned, set, { version, ownerVersion, versions });
  }
  const gone = difference(withNamedFields(fieldsOf(whole, type), type), withNamedFields(fieldsOf(pruned, type), type));
  const result = removeItems(whole, intersection(gone, lastFields), type);
  return version === apiVersion ? result : (versions.convert(result, apiVersion) ?? merged);
}

/** The version of the pruning first, so that what a conversion needs is there. */
function ownedByVersion(owners: Owners, first: string): ReadonlyMap<string, PathSet> {
  const result = new Map<string, PathSet>([[first, emptySet]]);
  for (const { apiVersion, set } of owners.values()) {
    result.set(apiVersion, union(result.get(apiVersion) ?? emptySet, set));
  }
  return result;
}

interface AddBack {
  /** In which `whole` and `pruned` come and go. */
  readonly version: string;
  readonly ownerVersion: string;
  readonly versions: Versions;
}

function addBackOwned(
  whole: unknown,
  pruned: unknown,
  owned: PathSet,
  { version, ownerVersion, versions }: AddBack,
): unknown {
  const type = versions.typeOf(ownerVersion);
  const same = version === ownerVersion;
  const [all, left] = same
    ? [whole, pruned]
    : [versions.convert(whole, ownerVersion), versions.convert(pruned, ownerVersion)];
  if (type === undefined || all === undefined || left === undefined) return pruned;
  const kept = union(withNamedFields(fieldsOf(left, type), type), withNamedFields(owned, type));
  const result = removeItems(all, difference(withNamedFields(fieldsOf(all, type), type), kept), type);
  return same ? result : (versions.convert(result, version) ?? pruned);
}
