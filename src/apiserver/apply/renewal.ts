/**
 * The most frequent update: a manager sets scalars again that it alone owns, such as the renewTime of a lease or the
 * counters of a status. No field changes hands, so only the time of the manager's entry does. Pure.
 */
import { isRecord } from "../../base/members.js";
import { deepEqual, type KubeObject, type ManagedFieldsEntry } from "../../api/index.js";
import type { FieldManagerRequest } from "../contracts/field-manager.js";
import { compareEntries, maxUpdateManagers } from "./managed-entries.js";
import { isEmpty, type PathSet } from "./merge/path-set.js";

/** Members of metadata that no manager owns. */
export const unownedMetadata: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]);

/**
 * The entries after such an update; undefined for any other update, and in case of doubt. `isSettled` tells whether
 * an entry's fields still fit the type of the kind.
 */
export function renewedEntries(
  live: KubeObject,
  object: KubeObject,
  request: FieldManagerRequest,
  isSettled: (fields: PathSet) => boolean,
): readonly ManagedFieldsEntry[] | undefined {
  const { managedFields: entries = [] } = live.metadata;
  const { managedFields: sent = entries } = object.metadata;
  if (sent !== entries || entries.length > maxUpdateManagers) return undefined;
  const { apiVersion, time } = request;
  const own = entries.find((entry) => isOf(entry, request));
  if (own?.time === undefined) return undefined;
  const others: PathSet[] = [];
  for (const entry of entries) {
    // in another version the same write may change other fields
    if (entry.apiVersion !== apiVersion || !isSettled(fieldsOf(entry))) return undefined;
    if (entry !== own) others.push(fieldsOf(entry));
  }
  const change = changeOf(live, object, { own: fieldsOf(own), others });
  if (change === "other") return undefined;
  if (change === "none" || own.time === time) return entries;
  return entries.map((entry) => (entry === own ? { ...own, time } : entry)).sort(compareEntries);
}

const fieldsOf = ({ fieldsV1 }: ManagedFieldsEntry): PathSet => (fieldsV1 ?? {}) as PathSet;

const isOf = (entry: ManagedFieldsEntry, { manager, subresource }: FieldManagerRequest): boolean =>
  entry.operation === "Update" && entry.manager === (manager || "unknown") && (entry.subresource ?? "") === subresource;

/** The fields at one place of the object: the writer's, and those of each other manager that has some there. */
interface Owning {
  readonly own: PathSet | undefined;
  readonly others: readonly PathSet[];
}

type Members = Readonly<Record<string, unknown>>;

/** The difference between two objects: none, only scalars that the writer alone owns, or anything else. */
type Change = "none" | "own" | "other";

function changeOf(live: KubeObject, object: KubeObject, owning: Owning): Change {
  const { metadata: before, ...rest } = live;
  const { metadata: after, ...restAfter } = object;
  return both(
    changeOfMembers(rest, restAfter, owning),
    changeOfMembers(ownable(before), ownable(after), below(owning, "metadata")),
  );
}

const both = (a: Change, b: Change): Change => (a === "none" || b === "other" ? b : a);

function ownable(metadata: KubeObject["metadata"]): Members {
  const members: Record<string, unknown> = {};
  for (const name in metadata) {
    if (!unownedMetadata.has(name)) members[name] = (metadata as unknown as Members)[name];
  }
  return members;
}

function changeOfMembers(before: Members, after: Members, owning: Owning): Change {
  for (const name in before) if (before[name] !== undefined && after[name] === undefined) return "other";
  let change: Change = "none";
  for (const name in after) {
    const [old, value] = [before[name], after[name]];
    if (old === value) continue;
    change = both(change, changeOfValue(old, value, below(owning, name)));
    if (change === "other") break;
  }
  return change;
}

function changeOfValue(old: unknown, value: unknown, owning: Owning): Change {
  if (isRecord(old) && isRecord(value)) return changeOfMembers(old, value, owning);
  // a changed item of a list is left to the full comparison
  if (Array.isArray(old) && Array.isArray(value)) return deepEqual(old, value) ? "none" : "other";
  const { own, others } = owning;
  const isOwn = own !== undefined && isEmpty(own) && others.length === 0;
  return isScalar(old) && isScalar(value) && isOwn ? "own" : "other";
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

function below({ own, others }: Owning, name: string): Owning {
  const step = `f:${name}`;
  return {
    own: own?.[step],
    others: others.flatMap((set) => {
      const inner = set[step];
      return inner === undefined ? [] : [inner];
    }),
  };
}
