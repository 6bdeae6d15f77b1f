/** Conditions: what a status says of an object, one entry for each type. */
import type { Condition } from "../generated/meta-v1.js";

/** What one may give: the time of the transition is filled in unless it is known. */
export type NewCondition = Omit<Condition, "lastTransitionTime"> & { readonly lastTransitionTime?: string };

/** Kinds of the core group lack some of the fields; reading needs only these two. */
interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

export function findCondition<T extends ConditionLike>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

export function isConditionFalse(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "False";
}

/**
 * `conditions` with `condition` in it. The time of the transition changes only when the status does: then it is the one
 * given, or `now` (RFC 3339). If nothing changes, the very same array comes back, so `===` tells whether to write.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: NewCondition,
  now: string,
): readonly Condition[] {
  const before = conditions ?? [];
  const at = before.findIndex(({ type }) => type === condition.type);
  const old = before[at];
  if (old === undefined) return [...before, { ...condition, lastTransitionTime: condition.lastTransitionTime ?? now }];
  const sameStatus = old.status === condition.status;
  if (
    sameStatus &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    (old.observedGeneration ?? 0) === (condition.observedGeneration ?? 0)
  ) {
    return before;
  }
  const lastTransitionTime = sameStatus ? old.lastTransitionTime : (condition.lastTransitionTime ?? now);
  return before.with(at, { ...condition, lastTransitionTime });
}

/** `conditions` without that type; the very same array if it was not there. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const before = conditions ?? [];
  const after = before.filter((condition) => condition.type !== type);
  return after.length === before.length ? before : after;
}
