/** Decides about claims of devices: the claims that a pod needs, the consumers of a claim, and the end of an unused one. Pure. */
import {
  controllerOf,
  type Draft,
  isDeleting,
  type Pod,
  type ResourceClaim,
  type ResourceClaimConsumerReference,
  type ResourceClaimTemplate,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { deviceFinalizer } from "../../placement/device-claims.js";
import { isTerminal } from "../../placement/pod-phase.js";

/** On a generated claim: the name by which its pod calls it. */
export const podClaimName = "resource.kubernetes.io/pod-claim-name";

/** A claim has room for this number of consumers. */
const mostConsumers = 256;
/** The longest beginning of a name to which a hyphen and five characters are added. */
const longestBase = 57;

/** True if the pod will never run, or never again. */
export const isDone = (pod: Pod): boolean => isTerminal(pod) || (isDeleting(pod) && !pod.spec?.nodeName);

/** The claim that a pod gets from a template. */
export function claimFromTemplate(
  { metadata: { name: pod, uid = "" } }: Pod,
  name: string,
  { spec: { metadata, spec } }: ResourceClaimTemplate,
): Draft<ResourceClaim> {
  const { annotations, labels } = metadata ?? {};
  const owner = { apiVersion: "v1", kind: "Pod", name: pod, uid, controller: true };
  return {
    metadata: {
      generateName: generatedBase(pod, name),
      ownerReferences: [owner],
      annotations: { ...annotations, [podClaimName]: name },
      ...defined({ labels }),
    },
    spec,
  };
}

/** Of names that are too long together, each keeps its share. */
function generatedBase(pod: string, name: string): string {
  const whole = `${pod}-${name}-`;
  if (whole.length <= longestBase) return whole;
  const share = (text: string): string => text.slice(0, Math.floor((text.length * longestBase) / whole.length));
  return `${share(pod)}-${share(name)}`;
}

/** True if an allocated claim of a pod with a node is not reserved for it, although there is room. */
export function needsReservation({ status }: ResourceClaim, { metadata }: Pod): boolean {
  const { allocation, reservedFor = [] } = status ?? {};
  if (allocation === undefined || reservedFor.length >= mostConsumers) return false;
  return !reservedFor.some(({ uid }) => uid === metadata.uid);
}

export type ClaimStep =
  /** Writes the remaining consumers; without any, and with `frees`, the allocation goes, too. */
  | { readonly type: "reserve"; readonly consumers: readonly ResourceClaimConsumerReference[]; readonly frees: boolean }
  | { readonly type: "unprotect" }
  | { readonly type: "delete" };

export interface ClaimSurroundings {
  /** Whether a consumer still needs the claim. */
  isNeeded(consumer: ResourceClaimConsumerReference): boolean;
  /** The pod for which the claim was generated, if it is there. */
  readonly owner: Pod | undefined;
}

export function claimSteps(claim: ResourceClaim, { isNeeded, owner }: ClaimSurroundings): readonly ClaimStep[] {
  const { reservedFor = [], allocation } = claim.status ?? {};
  const { deletionTimestamp, finalizers = [] } = claim.metadata;
  const consumers = reservedFor.filter(isNeeded);
  const isFree = consumers.length === 0;
  const isProtected = finalizers.includes(deviceFinalizer);
  const fewer = consumers.length < reservedFor.length;
  const frees = isFree && isProtected;
  const isLeft = isProtected && deletionTimestamp !== undefined && isFree;
  const steps: ClaimStep[] = [];
  if (fewer || (isLeft && allocation !== undefined)) steps.push({ type: "reserve", consumers, frees });
  if ((fewer && frees) || isLeft) steps.push({ type: "unprotect" });
  const generatedFor = controllerOf(claim);
  if (isFree && owner !== undefined && generatedFor?.kind === "Pod" && deletionTimestamp === undefined) {
    if (owner.metadata.uid !== generatedFor.uid || isDone(owner)) steps.push({ type: "delete" });
  }
  return steps;
}
