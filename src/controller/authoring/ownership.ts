/** Whose an object is: adopting what nobody controls, letting go of what is ours, and names for what we make. */
import { createHash } from "node:crypto";
import {
  controllerOf,
  isControlledBy,
  isNotFound,
  isOwnedBy,
  type KubeObject,
  type MergePatch,
  type OwnerReference,
  newControllerRef,
  type ResourceType,
} from "../../api/index.js";
import type { ReconcileClient } from "../reconcile-client.js";

/** Somebody else controls the object, or the owner is not what it was. */
export class AdoptionError extends Error {
  override readonly name = "AdoptionError";
}

/**
 * Makes `owner` the controller of an object that nobody controls. Before that the server is asked whether the owner still is the same
 * object, by uid, and not about to be deleted: what a stale cache believes must not bind an orphan to a ghost.
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

/** Lets go of an object that `owner` owns. That it is gone, or was made anew, is no error. */
export async function orphan<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  owner: KubeObject,
): Promise<void> {
  if (!isOwnedBy(object, owner)) return;
  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  try {
    await setOwners(client, object, others);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
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

/** True if nobody else may have made the object that we want: there is none, or it is ours. */
export function isFreeFor(object: KubeObject | undefined, owner: KubeObject): boolean {
  return object === undefined || isControlledBy(object, owner);
}

const longestName = 63;

/**
 * A name for a child, the same at every call, and another one for an owner that was deleted and made again: the garbage collector may
 * still be deleting the first one's child when the second one's is made.
 */
export function childName(owner: KubeObject, suffix: string): string {
  const hash = createHash("sha256")
    .update(`${owner.metadata.uid ?? ""}/${suffix}`)
    .digest("hex")
    .slice(0, 10);
  const tail = `-${suffix}-${hash}`.slice(-(longestName - 1));
  const head = owner.metadata.name.slice(0, Math.max(1, longestName - tail.length)).replace(/[.-]+$/, "");
  return `${head}${tail}`;
}
