/**
 * The owners of a pod's volume claim by the set's retention policy: takes a claim, its set and pod, gives the owners it
 * should have. Pure.
 */
import { type OwnerReference, type PersistentVolumeClaim, Pod, StatefulSet } from "../../api/index.js";

/** A pod of the set; a pod that is not created yet has no uid. */
export interface ClaimingPod {
  readonly name: string;
  readonly uid?: string | undefined;
  /** True if its ordinal is out of range: the pod is scaled away. */
  readonly condemned: boolean;
}

type Claim = Pick<PersistentVolumeClaim, "metadata">;

function policyOf({ spec }: StatefulSet): { readonly deletes: boolean; readonly scalesAway: boolean } {
  const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { deletes: whenDeleted === "Delete", scalesAway: whenScaled === "Delete" };
}

const namesSet = ({ kind, apiVersion, name }: OwnerReference, { metadata }: StatefulSet): boolean =>
  kind === StatefulSet.kind && apiVersion === "apps/v1" && name === metadata.name;
const namesPod = ({ kind, apiVersion, name }: OwnerReference, pod: ClaimingPod): boolean =>
  kind === Pod.kind && apiVersion === "v1" && name === pod.name;

/** The owners that the policy gives a claim: none, the set, or the pod that is scaled away. */
export function retentionOwners(set: StatefulSet, pod: ClaimingPod): readonly OwnerReference[] {
  const { deletes, scalesAway } = policyOf(set);
  const by = (apiVersion: string, kind: string, name: string, uid = ""): OwnerReference => ({
    apiVersion,
    kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  });
  if (pod.condemned && scalesAway) return [by("v1", Pod.kind, pod.name, pod.uid)];
  return deletes ? [by("apps/v1", StatefulSet.kind, set.metadata.name, set.metadata.uid)] : [];
}

/**
 * True if another controller manages the claim, or an earlier set or pod of the same name does. It matters only for a
 * policy that deletes.
 */
export function hasOtherController({ metadata }: Claim, set: StatefulSet, pod: ClaimingPod): boolean {
  const { deletes, scalesAway } = policyOf(set);
  if (!deletes && !scalesAway) return false;
  return (metadata.ownerReferences ?? []).some((owner) => {
    if (namesSet(owner, set)) return owner.uid !== set.metadata.uid;
    if (namesPod(owner, pod)) return owner.uid !== pod.uid;
    return owner.controller === true;
  });
}

const noOwners: readonly OwnerReference[] = [];

/** True if the claim has the owners that it should have. */
export const hasItsOwners = (claim: Claim, set: StatefulSet, pod: ClaimingPod): boolean =>
  ownersOf(claim, set, pod) === (claim.metadata.ownerReferences ?? noOwners);

/**
 * The owners that the claim should have; the very same list if it has them. A claim of an earlier set or pod stays as
 * it is, since the garbage collector will delete it. So does a claim that another controller manages.
 */
export function ownersOf(claim: Claim, set: StatefulSet, pod: ClaimingPod): readonly OwnerReference[] {
  const owners = claim.metadata.ownerReferences ?? noOwners;
  const { uid } = set.metadata;
  const isStale = (owner: OwnerReference): boolean =>
    (namesSet(owner, set) && owner.uid !== uid) || (namesPod(owner, pod) && owner.uid !== pod.uid);
  if (owners.some(isStale)) return owners;
  const isOurs = (owner: OwnerReference): boolean => owner.uid === uid || owner.uid === pod.uid;
  const wanted = hasOtherController(claim, set, pod) ? [] : retentionOwners(set, pod);
  const ours = owners.filter(isOurs);
  const same =
    ours.length === wanted.length &&
    ours.every((owner) => owner.controller === true && wanted.some((one) => one.uid === owner.uid));
  if (same) return owners;
  return [...owners.filter((owner) => !namesSet(owner, set) && !namesPod(owner, pod)), ...wanted];
}

/** True if the claim is deleted with an earlier pod of this name: a new pod must not get it. */
export function isStaleFor({ metadata }: Claim, set: StatefulSet, pod: ClaimingPod): boolean {
  if (!policyOf(set).scalesAway) return false;
  const owner = metadata.ownerReferences?.find((one) => namesPod(one, pod));
  return owner !== undefined && owner.uid !== pod.uid;
}
