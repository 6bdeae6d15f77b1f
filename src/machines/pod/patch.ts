/** The difference between a pod's status and its kubelet's report, as a strategic merge patch. */
import { deepEqual, findCondition, type Pod, type PodCondition, type PodStatus } from "../../api/index.js";

/** Conditions of the kubelet that are removed when they no longer hold. */
const passing: ReadonlySet<string> = new Set(["PodResizePending", "PodResizeInProgress"]);

/** Lists that a patch would merge by address: a kubelet that has not seen its last report would add a second one. */
const addresses: ReadonlySet<string> = new Set(["hostIPs", "podIPs"]);

/**
 * Undefined if there is nothing to write. Conditions are merged by type, so those of others stay. Includes the pod's
 * uid, so that a later pod of the same name is not touched.
 */
export function statusPatch(pod: Pod, wanted: PodStatus): Readonly<Record<string, unknown>> | undefined {
  const current: PodStatus = pod.status ?? {};
  const { conditions, ...rest } = wanted;
  const changed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(rest)) {
    if (deepEqual((current as Record<string, unknown>)[field], value)) continue;
    changed[field] = addresses.has(field) ? [{ $patch: "replace" }, ...(value as readonly object[])] : value;
  }
  const changedConditions = (conditions ?? []).flatMap((condition) => {
    const known = findCondition(current.conditions, condition.type);
    return isAsKnown(condition, known) ? [] : [replacing(condition, known)];
  });
  const isOver = ({ type }: PodCondition): boolean =>
    passing.has(type) && findCondition(conditions, type) === undefined;
  const over = (current.conditions ?? []).filter(isOver);
  if (changedConditions.length > 0 || over.length > 0) {
    changed["conditions"] = [...changedConditions, ...over.map(({ type }) => ({ $patch: "delete", type }))];
  }
  if (Object.keys(changed).length === 0) return undefined;
  return { metadata: { uid: pod.metadata.uid }, status: changed };
}

const isAsKnown = (condition: PodCondition, known: PodCondition | undefined): boolean =>
  known !== undefined &&
  known.status === condition.status &&
  known.observedGeneration === condition.observedGeneration &&
  (known.reason ?? "") === (condition.reason ?? "") &&
  (known.message ?? "") === (condition.message ?? "");

/** Removes the old reason and message where the new condition has none. */
const replacing = (condition: PodCondition, known: PodCondition | undefined): Readonly<Record<string, unknown>> => ({
  ...condition,
  ...(known?.reason !== undefined && condition.reason === undefined ? { reason: null } : {}),
  ...(known?.message !== undefined && condition.message === undefined ? { message: null } : {}),
});
