/**
 * Converts `metadata.managedFields` to owners and back. The entry of a manager whose fields did not change stays the
 * very same object.
 */
import type { ManagedFieldsEntry } from "../../api/index.js";
import { leaf, inOrder, parsePathSet, type PathSet, union } from "./merge/path-set.js";
import type { Owned, Owners } from "./merge/updater.js";
import { compareText } from "../../base/members.js";

export interface Managed {
  readonly owners: Owners;
  /** The time of each manager's last change, by manager identifier. */
  readonly times: ReadonlyMap<string, string>;
}

export const nothingManaged: Managed = { owners: new Map(), times: new Map() };

interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

/** The key of an entry. An applier has one entry for all versions, an updater has one for each version. */
export function managerIdentifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return JSON.stringify({
    manager: manager || undefined,
    operation,
    apiVersion: operation === "Apply" ? undefined : apiVersion || undefined,
    subresource: subresource || undefined,
  });
}

export type Identifier = Partial<ManagerIdentity>;

export const parseIdentifier = (identifier: string): Identifier => JSON.parse(identifier) as Identifier;

/** Decodes entries from a client. Throws for a malformed entry, with its fault. */
export function decodeManaged(entries: readonly ManagedFieldsEntry[]): Managed {
  for (const [index, { operation, apiVersion = "", fieldsType }] of entries.entries()) {
    if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`");
    if (apiVersion === "") throw new Error("apiVersion must not be empty");
    if (fieldsType === undefined || fieldsType === "") {
      throw new Error(`missing fieldsType in managed fields entry ${index}`);
    }
    if (fieldsType !== "FieldsV1") {
      throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
    }
  }
  return managedOf(entries, (entry) => ({ set: parsePathSet(entry.fieldsV1 ?? {}) }));
}

/** Decodes entries that `encodeManaged` made: their `fieldsV1` are path sets as they stand. */
export function storedManaged(entries: readonly ManagedFieldsEntry[]): Managed {
  return managedOf(entries, (entry) => ({ set: (entry.fieldsV1 ?? leaf) as PathSet, entry }));
}

function managedOf(
  entries: readonly ManagedFieldsEntry[],
  owned: (entry: ManagedFieldsEntry) => Pick<Owned, "set" | "entry">,
): Managed {
  const owners = new Map<string, Owned>();
  const times = new Map<string, string>();
  for (const entry of entries) {
    const { manager = "", operation = "Update", apiVersion = "", subresource = "", time } = entry;
    const identifier = managerIdentifier({
      manager,
      operation: operation as ManagerIdentity["operation"],
      apiVersion,
      subresource,
    });
    owners.set(identifier, { ...owned(entry), apiVersion, applied: operation === "Apply" });
    if (typeof time === "string") times.set(identifier, time);
    else times.delete(identifier);
  }
  return { owners, times };
}

export function encodeManaged({ owners, times }: Managed): readonly ManagedFieldsEntry[] {
  const entries: ManagedFieldsEntry[] = [];
  for (const [identifier, owned] of owners) entries.push(encodeEntry(identifier, owned, times.get(identifier)));
  return entries.sort(compareEntries);
}

function encodeEntry(identifier: string, owned: Owned, time: string | undefined): ManagedFieldsEntry {
  const { manager, subresource, operation } = parseIdentifier(identifier);
  const { entry: stored } = owned;
  const asStored = stored?.fieldsV1 === owned.set;
  // member by member for speed: this runs on every write
  const entry: { -readonly [K in keyof ManagedFieldsEntry]: ManagedFieldsEntry[K] } = {};
  if (manager !== undefined) entry.manager = manager;
  entry.operation = owned.applied ? "Apply" : (operation ?? "Update");
  entry.apiVersion = owned.apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = asStored ? owned.set : inOrder(owned.set);
  if (subresource !== undefined) entry.subresource = subresource;
  return asStored && sameButForFields(stored as ManagedFieldsEntry, entry) ? (stored as ManagedFieldsEntry) : entry;
}

function sameButForFields(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.time === b.time &&
    a.subresource === b.subresource
  );
}

/** Appliers first, then by time in seconds, then by name. */
export function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation ?? "", b.operation ?? "") ||
    (a.time === b.time ? 0 : seconds(a.time) - seconds(b.time)) ||
    compareText(a.manager ?? "", b.manager ?? "") ||
    compareText(a.apiVersion ?? "", b.apiVersion ?? "") ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  );
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1_000);
}

export const maxUpdateManagers = 10;
const ancientChanges = "ancient-changes";

/** Limits the number of updaters: beyond `maxUpdateManagers`, the oldest of each version are merged into one entry. */
export function capUpdaters(managed: Managed): Managed {
  if (managed.owners.size <= maxUpdateManagers) return managed;
  const updaters = [...managed.owners].filter(([, { applied }]) => !applied).map(([identifier]) => identifier);
  if (updaters.length <= maxUpdateManagers) return managed;
  const owners = new Map(managed.owners);
  const times = new Map(managed.times);
  updaters.sort((a, b) => seconds(times.get(a)) - seconds(times.get(b)) || compareText(a, b));
  const firstOfVersion = new Map<string, string>();
  /** The path sets of each merged entry; their union is computed once, at the end. */
  const buckets = new Map<string, PathSet[]>();
  let left = updaters.length;
  for (const updater of updaters) {
    if (left <= maxUpdateManagers) break;
    const owned = owners.get(updater) as Owned;
    const { apiVersion } = owned;
    const bucket = managerIdentifier({ manager: ancientChanges, operation: "Update", apiVersion, subresource: "" });
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, updater);
      continue;
    }
    const sets = buckets.get(bucket) ?? [(owners.get(bucket) ?? (owners.get(first) as Owned)).set];
    buckets.set(bucket, sets);
    if (!owners.has(bucket)) owners.delete(first);
    owners.delete(updater);
    sets.push(owned.set);
    owners.set(bucket, owned);
    const time = managed.times.get(updater);
    if (time === undefined) times.delete(bucket);
    else times.set(bucket, time);
    left--;
  }
  for (const [bucket, sets] of buckets) owners.set(bucket, { ...(owners.get(bucket) as Owned), set: unionOf(sets) });
  return { owners, times };
}

/** Unites pairwise, so that no set is copied more often than there are rounds. */
function unionOf(sets: readonly PathSet[]): PathSet {
  let round = sets;
  while (round.length > 1) {
    const next: PathSet[] = [];
    for (let i = 0; i < round.length; i += 2) {
      const [older, newer] = [round[i] as PathSet, round[i + 1]];
      next.push(newer === undefined ? older : union(newer, older));
    }
    round = next;
  }
  return round[0] ?? leaf;
}
