/** Carries out adoption and release: takes a claim, patches owner references, gives the objects that the owner then has. */
import { isInvalid, isNotFound, type KubeObject, newControllerRef, type ResourceType } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { Claim } from "./claim.js";

export interface AdoptOptions<T extends KubeObject, O extends KubeObject> {
  readonly client: WorkClient;
  readonly owner: O;
  readonly ownerType: ResourceType<O>;
  readonly type: ResourceType<T>;
  readonly claim: Claim<T>;
  /** A finalizer that is added on adoption and removed on release. */
  readonly finalizer?: string;
}

/**
 * Gives all objects of the owner after the patches. Before the first adoption the owner is read live: an owner that is
 * gone, replaced or being deleted adopts nothing. An object that vanished meanwhile is skipped; any other failure is
 * thrown after all objects have been tried.
 */
export async function adoptAndRelease<T extends KubeObject, O extends KubeObject>(
  options: AdoptOptions<T, O>,
): Promise<readonly T[]> {
  const { claim } = options;
  const failures: unknown[] = [];
  const adopted: T[] = [];
  if (claim.adopt.length > 0) await checkOwner(options);
  for (const object of claim.adopt) {
    try {
      adopted.push(await adopt(options, object));
    } catch (error) {
      if (!isNotFound(error)) failures.push(error);
    }
  }
  for (const object of claim.release) {
    try {
      await release(options, object);
    } catch (error) {
      // gone, or released by somebody else: the result is the wanted one
      if (!isNotFound(error) && !isInvalid(error)) failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} adoptions or releases failed`);
  return [...claim.owned, ...adopted];
}

async function checkOwner<T extends KubeObject, O extends KubeObject>(options: AdoptOptions<T, O>): Promise<void> {
  const { client, owner, ownerType } = options;
  const { namespace = "", name, uid } = owner.metadata;
  const live = await client.resource(ownerType).get(owner.metadata);
  if (live.metadata.uid !== uid) {
    throw new Error(
      `original ${ownerType.kind} ${namespace}/${name} is gone: got uid ${live.metadata.uid}, wanted ${uid}`,
    );
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    throw new Error(`${namespace}/${name} has just been deleted at ${live.metadata.deletionTimestamp}`);
  }
}

/** The uid in the patch is a precondition: a new object of the same name is not adopted. */
function adopt<T extends KubeObject, O extends KubeObject>(options: AdoptOptions<T, O>, object: T): Promise<T> {
  const { client, owner, ownerType, type, finalizer } = options;
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [newControllerRef(owner, ownerType)],
    ...(finalizer === undefined ? {} : { finalizers: [finalizer] }),
  };
  return client.resource(type).patch(object.metadata, { strategic: { metadata } });
}

function release<T extends KubeObject, O extends KubeObject>(options: AdoptOptions<T, O>, object: T): Promise<T> {
  const { client, owner, type, finalizer } = options;
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
    ...(finalizer === undefined ? {} : { "$deleteFromPrimitiveList/finalizers": [finalizer] }),
  };
  return client.resource(type).patch(object.metadata, { strategic: { metadata } });
}
