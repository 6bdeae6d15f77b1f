/** The differences between two states of an object, field by field, with their values and the manager who made them. Pure. */
import { deepEqual, type KubeObject } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { isRecord } from "../../base/members.js";
import type { FieldChange } from "../wire.js";

const mostChanges = 60;
const longestValue = 160;

/** Fields that every write changes, or that tell nothing but that there was one. */
const silent: ReadonlySet<string> = new Set([
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
]);

export interface Differences {
  readonly changes: readonly FieldChange[];
  readonly omittedChanges: number;
}

/** Of a Secret the paths alone: its values do not travel. */
export function differencesOf(before: KubeObject | undefined, after: KubeObject): Differences {
  const found: FieldChange[] = [];
  // the fields of a new object are all new: the object itself shows them
  if (before !== undefined) collect("", before, after, found);
  const shown = found.slice(0, mostChanges);
  const changes = after.kind === "Secret" ? shown.map(withoutValues) : shown;
  return { changes, omittedChanges: found.length - shown.length };
}

function withoutValues({ path, before, after }: FieldChange): FieldChange {
  const hidden = "‹not shown›";
  return defined({ path, before: before && hidden, after: after && hidden });
}

type Json = Readonly<Record<string, unknown>>;

function collect(path: string, before: unknown, after: unknown, found: FieldChange[]): void {
  if (before === after || silent.has(path) || deepEqual(before, after)) return;
  if (isRecord(before) && isRecord(after)) return collectMembers(path, before, after, found);
  const [oldItems, newItems] = [itemsOf(before), itemsOf(after)];
  if (oldItems !== undefined && newItems !== undefined) {
    for (const id of new Set([...oldItems.keys(), ...newItems.keys()]))
      collect(`${path}[${id}]`, oldItems.get(id), newItems.get(id), found);
    return;
  }
  found.push(defined({ path, before: textOf(before), after: textOf(after) }));
}

function collectMembers(path: string, before: Json, after: Json, found: FieldChange[]): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    const inside = path === "" ? name : `${path}.${name}`;
    collect(inside, old ? before[name] : undefined, now ? after[name] : undefined, found);
  }
}

/** The members by which items of Kubernetes' lists are told apart. */
const idMembers = ["name", "type", "key", "uid", "containerPort", "port", "ip"] as const;

/** The items of a list by their identity, as `name=web`; by their place if they have none. Undefined for anything else. */
function itemsOf(list: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!Array.isArray(list)) return undefined;
  const items: readonly unknown[] = list;
  for (const member of idMembers) {
    const ids = items.map((item) => (isRecord(item) ? idOf(item[member]) : undefined));
    if (ids.every((id) => id !== undefined) && new Set(ids).size === ids.length)
      return new Map(items.map((item, i) => [`${member}=${ids[i] ?? ""}`, item]));
  }
  return new Map(items.map((item, i) => [String(i), item]));
}

/** Objects of custom kinds may have anything there. */
function idOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}

/**
 * The field manager of a write: its entry is new or has another time or other fields. Of several, because a write takes
 * fields over from other managers, the one with the newest time; within a second, the one that has gained fields. "" if
 * no entry tells.
 */
export function managerOf(before: KubeObject | undefined, after: KubeObject): string {
  const known = new Map((before?.metadata.managedFields ?? []).map((entry) => [entryId(entry), entry]));
  const changed = (after.metadata.managedFields ?? []).filter((entry) => !deepEqual(known.get(entryId(entry)), entry));
  const size = (entry: ManagerEntry | undefined): number => JSON.stringify(entry?.fieldsV1 ?? {}).length;
  const gained = (entry: ManagerEntry): number => size(entry) - size(known.get(entryId(entry)));
  const [newest] = changed.toSorted(
    (a, b) => (b.time ?? "").localeCompare(a.time ?? "", "en") || gained(b) - gained(a),
  );
  return newest?.manager ?? "";
}

type ManagerEntry = NonNullable<KubeObject["metadata"]["managedFields"]>[number];

const entryId = ({ manager, operation, subresource, apiVersion }: ManagerEntry): string =>
  [manager, operation, subresource, apiVersion].join(" ");

/** The newest time that an object tells of itself, its creation or a manager's write: milliseconds, in whole seconds. */
export function writtenAt({ metadata }: KubeObject): number {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)];
  return Math.max(0, ...times.map((time) => Date.parse(time ?? "")).filter((ms) => !Number.isNaN(ms)));
}
