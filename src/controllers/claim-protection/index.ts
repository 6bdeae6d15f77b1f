/** The claim protection controller: a PersistentVolumeClaim that is told to go stays until no pod uses it any more. */
import { PersistentVolumeClaim, Pod } from "../../api/index.js";
import { deletedObject } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { unlessNotFound } from "../kit/missing.js";

const finalizer = "kubernetes.io/pvc-protection";
const podsOfClaim = "pods-of-claim";

export const claimProtectionController: ControllerDescriptor = {
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  create: createClaimProtection,
};

/** Its node is done with it; only finalizers keep it, perhaps one that waits for the claim. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

/** The keys of the claims that a pod uses. A pod without a node has mounted nothing. Claims that were made for it are free sooner. */
function claimsOf(pod: Pod): string[] {
  const { namespace, name } = pod.metadata;
  if (!pod.spec?.nodeName) return [];
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral === undefined || isShutDown(pod) ? [] : [`${namespace}/${name}-${volume.name}`];
  });
}

function createClaimProtection(context: ControllerContext): BuiltInController {
  const { client, informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const pods = informers.informer(Pod);
  pods.addIndexers({ [podsOfClaim]: claimsOf });
  const loop = new KeyLoop({ context, name: "pvcprotection", workers: 1, sync });
  const isProtected = ({ metadata }: PersistentVolumeClaim): boolean => (metadata.finalizers ?? []).includes(finalizer);
  const consider = (claim: PersistentVolumeClaim): void => {
    if (isProtected(claim) !== (claim.metadata.deletionTimestamp === undefined)) loop.enqueue(claim);
  };
  claims.addEventHandler({ onAdd: consider, onUpdate: (_previous, claim) => consider(claim) });
  const wake = (pod: Pod | undefined): void => {
    if (pod === undefined) return;
    for (const key of claimsOf(pod)) if (claims.indexer.has(key)) loop.add(key);
  };
  pods.addEventHandler({
    onUpdate: (previous, pod) => {
      if (isShutDown(pod) && !isShutDown(previous)) wake(previous);
    },
    onDelete: (gone) => wake(deletedObject(gone)),
  });

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const claim = claims.indexer.get(key);
    if (claim === undefined) return;
    const going = claim.metadata.deletionTimestamp !== undefined;
    if (!going && !isProtected(claim)) {
      const finalizers = [...(claim.metadata.finalizers ?? []), finalizer];
      await write(claim, finalizers, signal);
    } else if (going && isProtected(claim) && !(await isUsed(key, claim, signal))) {
      const finalizers = (claim.metadata.finalizers ?? []).filter((one) => one !== finalizer);
      await write(claim, finalizers, signal);
    }
  }

  /** The cache first; it may not know of a pod yet, so the server has the last word. */
  async function isUsed(key: string, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<boolean> {
    if (pods.indexer.byIndex(podsOfClaim, key).length > 0) return true;
    const { namespace = "" } = claim.metadata;
    const { items } = await client.resource(Pod, { namespace }).list({ signal });
    return items.some((pod) => claimsOf(pod).includes(key));
  }

  async function write(
    claim: PersistentVolumeClaim,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const metadata = { ...claim.metadata, finalizers };
    await client
      .resource(PersistentVolumeClaim)
      .update({ ...claim, metadata }, { signal })
      .catch(unlessNotFound);
  }

  return loop;
}
