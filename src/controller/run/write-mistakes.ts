/** Writes that a server takes and that do not do what their author meant: refused before they are sent, with the way to do it. */
import { deepEqual, type KubeObject, metaNamespaceKey, type ResourceType } from "../../api/index.js";
import type { Patch } from "../../client/index.js";

type Written = Pick<KubeObject, "metadata"> & { readonly status?: unknown };

/** Of a kind with a status subresource, other writes leave the status as it is, without a word. */
export function refuseStatus(type: ResourceType, verb: string, status: unknown): void {
  if (!type.subresources.includes("status") || isEmpty(status)) return;
  const { kind } = type;
  throw new TypeError(
    `${verb} does not write the status of a ${kind}, which is a resource of its own: leave it out, and say client.status(${kind}).patch(object, { … })`,
  );
}

/** The same for an update, whose object has the status that was read: only a change of it counts. */
export function refuseChangedStatus(type: ResourceType, object: Written, before: Written | undefined): void {
  const isSameVersion = before?.metadata.resourceVersion === object.metadata.resourceVersion;
  if (isSameVersion && !deepEqual(before?.status, object.status)) refuseStatus(type, "update", object.status);
}

export function refuseStatusPatch(type: ResourceType, patch: Patch<never>): void {
  const { merge, strategic, json = [] } = patch as { merge?: object; strategic?: object; json?: { path?: string }[] };
  const { status } = { ...merge, ...strategic } as { readonly status?: unknown };
  const byPath = json.some(({ path }) => path === "/status" || path?.startsWith("/status/"));
  refuseStatus(type, "patch", byPath ? patch : status);
}

/** The object that a run is about, as an owner of the objects that the run writes. */
export interface OwnerOfRun {
  readonly object: KubeObject | undefined;
  /** The writes go to another cluster than the owner's. */
  readonly isElsewhere: boolean;
}

/**
 * The garbage collector looks for an owner in the dependent's own namespace and cluster, and deletes the dependents of
 * one that is not there.
 */
export function refuseDistantOwner(type: ResourceType, written: Written, owner: OwnerOfRun): void {
  const { object, isElsewhere } = owner;
  const uid = object?.metadata.uid;
  const isOwned = written.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false;
  if (object === undefined || uid === undefined || !isOwned) return;
  const { namespace } = object.metadata;
  const isNear = !isElsewhere && (namespace === undefined || namespace === written.metadata.namespace);
  if (isNear) return;
  const names = `${type.kind} ${metaNamespaceKey(written)} cannot be owned by ${object.kind} ${metaNamespaceKey(object)}`;
  const where = isElsewhere ? "cluster" : "namespace";
  throw new TypeError(
    `${names} of another ${where}: it would be deleted as an orphan. Mark it by a label, watch it by watch(), and delete it in a finalizer`,
  );
}

function isEmpty(status: unknown): boolean {
  return status === undefined || status === null || (typeof status === "object" && Object.keys(status).length === 0);
}
