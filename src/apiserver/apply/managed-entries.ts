/** `metadata.managedFields` to and from owners. The entries of managers who lost and won nothing stay the very same objects. */
import type { ManagedFieldsEntry } from "../../api/index.js";
import { emptySet, inOrder, parsePathSet, type PathSet, union } from "./merge/path-set.js";
import type { Owned, Owners } from "./merge/updater.js";

export interface Managed {
  readonly owners: Owners;
  /** Of the last change, by manager identifier. */
  readonly times: ReadonlyMap<string, string>;
}

export const nothingManaged: Managed = { owners: new Map(), times: new Map() };

interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

/** One entry per identifier. An applier keeps its identity through versions, an updater has one for each. */
export function managerIdentifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const id = `${operation} ${apiVersion} ${subresource} ${manager}`;
  let identifier = identifiers.get(id);
  if (identifier === undefined) {
    identifier = JSON.stringify({
      ...(manager === "" ? {} : { manager }),
      operation,
      ...(operation === "Apply" || apiVersion === "" ? {} : { apiVersion }),
      ...(subresource === "" ? {} : { subresource }),
    });
    if (identifiers.size >= maxRemembered) identifiers.clear();
    identifiers.set(id, identifier);
  }
  return identifier;
}

/** There are few managers; versions and subresources have no spaces. */
const identifiers = new Map<string, string>();
const identities = new Map<string, Identifier>();
const maxRemembered = 1_000;

export type Identifier = Partial<ManagerIdentity>;

export function parseIdentifier(identifier: string): Identifier {
  let identity = identities.get(identifier);
  if (identity === undefined) {
    identity = JSON.parse(identifier) as Identifier;
    if (identities.size >= maxRemembered) identities.clear();
    identities.set(identifier, identity);
  }
  return identity;
}

/** Of entries that a client sent. Throws on those that are not well-formed, saying what is wrong. */
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

/** Of entries that `encodeManaged` made: their sets are sets as they stand. */
export function storedManaged(entries: readonly ManagedFieldsEntry[]): Managed {
  return managedOf(entries, (entry) => ({ set: (entry.fieldsV1 ?? emptySet) as PathSet, entry }));
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
  // member by member: this is done for every write
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
function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    (a.time === b.time ? 0 : seconds(a.time) - seconds(b.time)) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1_000);
}

const maxUpdateManagers = 10;
const ancientChanges = "ancient-changes";

/** More than so many updaters are too many: the oldest of each version become one. */
export function capUpdaters(managed: Managed): Managed {
  if (managed.owners.size <= maxUpdateManagers) return managed;
  const updaters = [...managed.owners].filter(([, { applied }]) => !applied).map(([identifier]) => identifier);
  if (updaters.length <= maxUpdateManagers) return managed;
  const owners = new Map(managed.owners);
  const times = new Map(managed.times);
  updaters.sort((a, b) => seconds(times.get(a)) - seconds(times.get(b)) || compareText(a, b));
  const firstOfVersion = new Map<string, string>();
  /** The path sets that were moved into each bucket; their union is made once, at the end. */
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

/** Two by two, so that no set is copied more often than there are rounds. */
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
  return round[0] ?? emptySet;
}
