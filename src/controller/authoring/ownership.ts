/** Ownership of objects: adoption of orphans, release, and names for children. */
import { createHash } from "node:crypto";
import {
  controllerOf,
  isControlledBy,
  isNotFound,
  isOwnedBy,
  type KubeObject,
  type MergePatch,
  newControllerRef,
  type OwnerReference,
  type ResourceType,
  unless,
} from "../../api/index.js";
import type { ReconcileClient } from "../reconcile-client.js";

/** Another controller controls the object, or the owner has changed. */
export class AdoptionError extends Error {
  override readonly name = "AdoptionError";
}

/**
 * Makes `owner` the controller of an object without one. First asks the server whether the owner is still the same
 * object, by uid, and not being deleted: a stale cache must not bind an orphan to an owner that is gone.
 */
export async function adopt<T extends KubeObject, O extends KubeObject>(
  client: ReconcileClient,
  object: T,
  { owner, type }: { readonly owner: O; readonly type: ResourceType<O> },
): Promise<T> {
  const controller = controllerOf(object);
  if (controller?.uid === owner.metadata.uid) return object;
  if (controller !== undefined) {
    throw new AdoptionError(
      `${object.kind} ${object.metadata.name} is controlled by ${controller.kind} ${controller.name}`,
    );
  }
  const now = await client.live(type, owner.metadata);
  if (now?.metadata.uid !== owner.metadata.uid || now?.metadata.deletionTimestamp !== undefined) {
    throw new AdoptionError(`${owner.kind} ${owner.metadata.name} is gone, or going, and adopts nothing`);
  }
  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  return setOwners(client, object, [...others, newControllerRef(owner)]);
}

/** Releases an object that `owner` owns. It is no error if the object is gone or was created anew. */
export async function orphan<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  owner: KubeObject,
): Promise<void> {
  if (!isOwnedBy(object, owner)) return;
  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  await setOwners(client, object, others).catch(unless(isNotFound));
}

function setOwners<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  ownerReferences: readonly OwnerReference[],
): Promise<T> {
  const { uid, resourceVersion } = object.metadata;
  const merge: MergePatch<KubeObject> = { metadata: { uid, resourceVersion, ownerReferences } };
  return client.patch(object, { merge: merge as MergePatch<T> });
}

/** True if the wanted object does not exist, or is already the owner's. */
export function isFreeFor(object: KubeObject | undefined, owner: KubeObject): boolean {
  return object === undefined || isControlledBy(object, owner);
}

const longestName = 63;

/**
 * A name for a child: the same at every call, but different for an owner that was deleted and created again, because
 * the garbage collector may still be deleting the first owner's child when the second owner's is created.
 */
export function childName(owner: KubeObject, suffix: string): string {
  const hash = createHash("sha256")
    .update(`${owner.metadata.uid ?? ""}/${suffix}`)
    .digest("hex")
    .slice(0, 10);
  const tail = `-${suffix}-${hash}`.slice(-(longestName - 1));
  const head = owner.metadata.name.slice(0, Math.max(1, longestName - tail.length)).replace(/(?<![.-])[.-]+$/, "");
  return `${head}${tail}`;
}
