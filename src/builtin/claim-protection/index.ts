/** The claim protection controller: a PersistentVolumeClaim that is told to go stays until no pod uses it any more. */
import { metaNamespaceKey, PersistentVolumeClaim, Pod } from "../../api/index.js";
import { claimsOfPod } from "../../placement/volume-claims.js";
import { deletedObject } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { protect } from "../kit/protection.js";

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
  if (!pod.spec?.nodeName) return [];
  const isDone = isShutDown(pod);
  return claimsOfPod(pod).flatMap(({ key, ephemeral }) => (ephemeral && isDone ? [] : [key]));
}

function createClaimProtection(context: ControllerContext): BuiltInController {
  const { client, informers } = context;
  const pods = informers.informer(Pod);
  pods.addIndexers({ [podsOfClaim]: claimsOf });
  const { loop, wake } = protect(context, {
    kind: PersistentVolumeClaim,
    finalizer: "kubernetes.io/pvc-protection",
    queue: "pvcprotection",
    /** The cache first; it may not know of a pod yet, so the server has the last word. */
    async isUsed(claim, signal) {
      const key = metaNamespaceKey(claim);
      if (pods.indexer.byIndex(podsOfClaim, key).length > 0) return true;
      const { namespace = "" } = claim.metadata;
      const { items } = await client.resource(Pod, { namespace }).list({ signal });
      return items.some((pod) => claimsOf(pod).includes(key));
    },
  });
  const wakeClaims = (pod: Pod | undefined): void => {
    for (const key of pod === undefined ? [] : claimsOf(pod)) wake(key);
  };
  pods.addEventHandler({
    onUpdate: (previous, pod) => {
      if (isShutDown(pod) && !isShutDown(previous)) wakeClaims(previous);
    },
    onDelete: (gone) => wakeClaims(deletedObject(gone)),
  });
  return loop;
}
