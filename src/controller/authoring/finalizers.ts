/** Finalizers: added before anything is created that must be cleaned up, removed after the clean-up, never lost in between. */
import { isConflict, isDeleting, isNotFound, type KubeObject, type MergePatch } from "../../api/index.js";
import type { ReconcileClient } from "../reconcile-client.js";

export function hasFinalizer({ metadata }: KubeObject, name: string): boolean {
  return metadata.finalizers?.includes(name) ?? false;
}

/**
 * Gives the object with the finalizer. An object that is being deleted, which takes no new ones, or is gone, is given
 * as it was last seen.
 */
export async function ensureFinalizer<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  name: string,
): Promise<T> {
  return (await addFinalizer(client, object, name)) ?? object;
}

/** As `ensureFinalizer`, but gives undefined if the object is gone. */
export function addFinalizer<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  name: string,
): Promise<T | undefined> {
  return changeFinalizers(client, object, (now) =>
    hasFinalizer(now, name) || isDeleting(now) ? undefined : [...(now.metadata.finalizers ?? []), name],
  );
}

/** Other finalizers stay. A missing object is no error. */
export async function removeFinalizer<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  name: string,
): Promise<void> {
  await changeFinalizers(client, object, (now) =>
    hasFinalizer(now, name) ? now.metadata.finalizers?.filter((other) => other !== name) : undefined,
  );
}

/** An attempt fails if another writer of the object was first, which happens a few times at most. */
const attempts = 10;

/**
 * The list is written as a whole, with the version that was read, so that another writer's concurrent addition causes a
 * conflict and is not lost. Then the object is read again, and its present list is changed, so that concurrent
 * clean-ups need not run twice. Gives the present object; undefined if it is gone.
 */
async function changeFinalizers<T extends KubeObject>(
  client: ReconcileClient,
  object: T,
  change: (now: T) => readonly string[] | undefined,
): Promise<T | undefined> {
  let now: T | undefined = object;
  for (let attempt = 1; now !== undefined; attempt++) {
    const finalizers = change(now);
    if (finalizers === undefined) return now;
    const { uid, resourceVersion } = now.metadata;
    const merge: MergePatch<KubeObject> = { metadata: { uid, resourceVersion, finalizers } };
    try {
      return await client.patch(now, { merge: merge as MergePatch<T> });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
    now = await client.reread(now);
  }
  return undefined;
}
