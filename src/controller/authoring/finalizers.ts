/** Finalizers: added before anything is made that must be cleaned up, removed after the clean-up, never lost in between. */
import { isNotFound, type KubeObject, type MergePatch } from "../../api/index.js";
import type { ReconcileClient } from "../run/client.js";

export function hasFinalizer({ metadata }: KubeObject, name: string): boolean {
  return metadata.finalizers?.includes(name) ?? false;
}

/** The object asked to be deleted, and stays until its finalizers are gone. */
export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Gives the object with the finalizer. An object that is being deleted takes no new ones: the server would refuse. */
export async function ensureFinalizer<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  name: string,
): Promise<T> {
  if (hasFinalizer(object, name) || isDeleting(object)) return object;
  return setFinalizers(client, object, [...(object.metadata.finalizers ?? []), name]);
}

/** The finalizers of others stay. That the object is gone already is no error. */
export async function removeFinalizer<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  name: string,
): Promise<void> {
  if (!hasFinalizer(object, name)) return;
  try {
    await setFinalizers(
      client,
      object,
      (object.metadata.finalizers ?? []).filter((other) => other !== name),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A list is written as a whole: the version read goes with it, so that what somebody else added meanwhile is a conflict and not lost. */
function setFinalizers<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  finalizers: readonly string[],
): Promise<T> {
  const { uid, resourceVersion } = object.metadata;
  const merge: MergePatch<KubeObject> = { metadata: { uid, resourceVersion, finalizers } };
  return client.patch(object, { merge: merge as MergePatch<T> });
}
