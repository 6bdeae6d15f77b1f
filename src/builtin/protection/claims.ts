/** The claim protection controller: a PersistentVolumeClaim that is being deleted stays until no pod uses it any more. */
import { metaNamespaceKey, PersistentVolumeClaim, Pod } from "../../api/index.js";
import { claimsOfPod } from "../../placement/volume-claims.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { protect } from "./protect.js";

const podsOfClaim = "pods-of-claim";

/** True once the pod's node has finished with the pod: only finalizers keep it, and one of them may wait for the claim. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

/**
 * The keys of the claims that a pod uses. A pod without a node has mounted nothing. An ephemeral claim, which was made
 * for the pod, is free as soon as the pod is shut down.
 */
function claimsOf(pod: Pod): string[] {
  if (!pod.spec?.nodeName) return [];
  const isDone = isShutDown(pod);
  return claimsOfPod(pod).flatMap(({ key, ephemeral }) => (ephemeral && isDone ? [] : [key]));
}

export function claimProtection(context: ControllerContext): BuiltInController {
  const pods = context.informers.informer(Pod);
  pods.addIndexers({ [podsOfClaim]: claimsOf });
  const claims = protect(context, {
    kind: PersistentVolumeClaim,
    finalizer: "kubernetes.io/pvc-protection",
    queue: "pvcprotection",
    /** Asks the cache first. The cache may not have a new pod yet, so a "no" is checked with the server. */
    async isUsed(claim, { client }) {
      const key = metaNamespaceKey(claim);
      if (pods.indexer.byIndex(podsOfClaim, key).length > 0) return true;
      const { namespace = "" } = claim.metadata;
      const { items } = await client.resource(Pod, { namespace }).list();
      return items.some((pod) => claimsOf(pod).includes(key));
    },
  });
  claims.wakeOn(pods, (change) => {
    if (change.type === "deleted") return claimsOf(change.object);
    if (change.type !== "updated") return [];
    return isShutDown(change.object) && !isShutDown(change.previous) ? claimsOf(change.previous) : [];
  });
  return claims;
}
