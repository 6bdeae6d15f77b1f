/** The state of a pod, as the workload controllers judge it. Pure predicates on one pod. */
import { findCondition, isDeleting, type KubeObject, parseTime, type Pod, type PodCondition } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { isTerminal } from "../../placement/pod-phase.js";

export { isTerminal };

/** True if the pod counts as a replica: neither finished nor being deleted. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && !isDeleting(pod);

/** True if the pod is being deleted and its containers still run. */
export const isTerminating = (pod: Pod): boolean => !isTerminal(pod) && isDeleting(pod);

export function readyCondition(pod: Pod): PodCondition | undefined {
  return findCondition(pod.status?.conditions, "Ready");
}

export const isReady = (pod: Pod): boolean => readyCondition(pod)?.status === "True";

/** When a ready pod becomes available; undefined for a pod that is not ready, or whose condition has no time. */
function availableAt(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = readyCondition(pod);
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  if (ready.lastTransitionTime === undefined) return undefined;
  return parseTime(ready.lastTransitionTime) + minReadySeconds * 1000;
}

export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && at <= now;
}

/** Milliseconds until the next of these pods becomes available by time alone; undefined if none will. */
export function nextAvailabilityMs(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const at = availableAt(pod, minReadySeconds);
    if (at !== undefined && at > now && (next === undefined || at < next)) next = at;
  }
  return next === undefined ? undefined : next - now;
}

/** For a condition or status that was computed from this state of the object. */
export const observedGenerationOf = ({ metadata }: KubeObject): { readonly observedGeneration?: number } =>
  defined({ observedGeneration: metadata.generation });
