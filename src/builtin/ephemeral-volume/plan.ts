/** The claims that a pod's generic ephemeral volumes need: made for the pod, named after it and the volume. Pure. */
import {
  controllerOf,
  type Draft,
  metaNamespaceKey,
  type PersistentVolumeClaim,
  type Pod,
  type Volume,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";

/** A claim to create, or the reason why the volume cannot have its claim. */
export type ClaimStep =
  | { readonly type: "create"; readonly volume: string; readonly claim: Draft<PersistentVolumeClaim> }
  | { readonly type: "refuse"; readonly volume: string; readonly problem: string };

export const hasEphemeralVolume = ({ spec }: Pod): boolean =>
  (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);

/** In the order of the volumes; the first volume that cannot have its claim is the last step. */
export function claimSteps(
  pod: Pod,
  claimNamed: (name: string) => PersistentVolumeClaim | undefined,
): readonly ClaimStep[] {
  const steps: ClaimStep[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.ephemeral === undefined) continue;
    const claim = claimOf(pod, volume);
    const existing = claimNamed(claim.metadata.name);
    if (existing === undefined) steps.push({ type: "create", volume: volume.name, claim });
    else if (controllerOf(existing)?.uid !== pod.metadata.uid) {
      const [theirs, ours] = [existing, pod].map(metaNamespaceKey);
      const problem = `PVC ${theirs} was not created for pod ${ours} (pod is not owner)`;
      return [...steps, { type: "refuse", volume: volume.name, problem }];
    }
  }
  return steps;
}

function claimOf({ metadata: { name, uid = "" } }: Pod, volume: Volume) {
  const { metadata: { annotations, labels } = {}, spec = {} } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const owner = { apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: { name: `${name}-${volume.name}`, ownerReferences: [owner], ...defined({ annotations, labels }) },
    spec,
  };
}
