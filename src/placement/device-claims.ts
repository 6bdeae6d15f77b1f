/** Claims of devices, as the claim controller and the scheduler both see them: their names, their pods, their taints. */
import type { DeviceTaint, DeviceToleration, Pod, PodResourceClaim } from "../api/index.js";
import type { FactoryInformer, ReadonlyStore } from "../informer/index.js";

/** On a claim that is allocated. */
export const deviceFinalizer = "resource.kubernetes.io/delete-protection";

/**
 * The name of the claim behind an entry of a pod: undefined before it is generated, and null for an entry that needs no
 * claim.
 */
export function claimNameOf(pod: Pod, { name, resourceClaimName }: PodResourceClaim): string | null | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName;
  const status = pod.status?.resourceClaimStatuses?.find((one) => one.name === name);
  return status === undefined ? undefined : (status.resourceClaimName ?? null);
}

/** The keys of the claims that a pod names, or that were generated for it. */
export function deviceClaimKeys(pod: Pod): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const name = claimNameOf(pod, entry);
    return name ? [`${pod.metadata.namespace}/${name}`] : [];
  });
}

const indexName = "pods-of-resource-claim";

/** Call it while wiring, before the informers start. */
export function indexByDeviceClaim(pods: FactoryInformer<Pod>): void {
  pods.addIndexers({ [indexName]: deviceClaimKeys });
}

export const podsOfDeviceClaim = (pods: ReadonlyStore<Pod>, claim: string): Pod[] => pods.byIndex(indexName, claim);

/** The keys alone, for code that only queues them. */
export const podKeysOfDeviceClaim = (pods: ReadonlyStore<Pod>, claim: string): string[] =>
  pods.indexKeys(indexName, claim);

/** A key or an effect that is absent matches any. */
export function toleratesDeviceTaint(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  const { key, value = "", operator = "Equal", effect } = toleration;
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}
