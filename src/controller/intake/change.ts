/** Changes of objects of a watched kind: their predicates, and their wording as reasons. */
import { changedPaths, deepEqual, type KubeObject, metaNamespaceKey, type ObjectMeta } from "../../api/index.js";
import type { ObjectChange } from "../../informer/index.js";
import type { Reason } from "../../workqueue/index.js";
import { own } from "../../base/members.js";
import { writersTrace } from "../trace.js";

/** True if the change should wake the controller. */
export type Predicate<T extends KubeObject> = (change: ObjectChange<T>) => boolean;

/**
 * The default for a controller's own kind: everything but updates that change neither the spec (by the generation) nor
 * the metadata that people and controllers set. So a status write does not wake its writer. Kinds without a generation
 * wake on each update.
 */
export function specChanged<T extends KubeObject>(change: ObjectChange<T>): boolean {
  if (change.type !== "updated") return true;
  const { metadata: now } = change.object;
  const { metadata: before } = change.previous;
  if (now.generation === undefined || now.generation === 0) return true;
  return now.generation !== before.generation || now.uid !== before.uid || !sameMarks(before, now);
}

function sameMarks(a: ObjectMeta, b: ObjectMeta): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    deepEqual(a.labels, b.labels) &&
    deepEqual(a.annotations, b.annotations) &&
    deepEqual(a.finalizers, b.finalizers) &&
    deepEqual(a.ownerReferences, b.ownerReferences)
  );
}

/** A predicate that lets a change pass if all of the given ones do. */
export function everyOf<T extends KubeObject>(predicates: readonly Predicate<T>[]): Predicate<T> {
  const [only] = predicates;
  if (only !== undefined && predicates.length === 1) return only;
  return (change) => predicates.every((predicate) => predicate(change));
}

/** Everything but resyncs. */
export function anyChange<T extends KubeObject>({ type }: ObjectChange<T>): boolean {
  return type !== "resync";
}

/** The object and the type of its change, without the fields: comparing objects costs more than many a run. */
export function wakingReason(change: ObjectChange<KubeObject>): Reason {
  const { type, object } = change;
  const { kind, metadata } = object;
  const reason = { type, kind, key: metaNamespaceKey(object), revision: metadata.resourceVersion ?? "" };
  const trace = writersTrace(change);
  return trace === undefined ? reason : { ...reason, trace };
}

export function reasonOf(change: ObjectChange<KubeObject>): Reason {
  const reason = wakingReason(change);
  return change.type === "updated" ? { ...reason, fields: describeFields(change.previous, change.object) } : reason;
}

/** `status.availableReplicas 1→2`: the changed fields, with small values. */
function describeFields(before: KubeObject, now: KubeObject): readonly string[] {
  const paths = changedPaths(comparable(before), comparable(now), { limit: 6 });
  // reasons are logged, kept and shown: the values of a Secret must not be in them
  if (now.kind === "Secret") return paths;
  return paths.map((path) => {
    const [old, current] = [valueAt(before, path), valueAt(now, path)];
    return isShort(old) && isShort(current) ? `${path} ${String(old ?? "∅")}→${String(current ?? "∅")}` : path;
  });
}

/** The object without the fields that every write changes. */
export function comparable(object: KubeObject): KubeObject {
  const { managedFields: _m, resourceVersion: _r, generation: _g, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || step.includes("[")) return {};
    value = own(value as Readonly<Record<string, unknown>>, step);
  }
  return value;
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 24;
  return value === undefined || typeof value === "number" || typeof value === "boolean";
}
