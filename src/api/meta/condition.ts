/** Conditions: the entries of a status, one for each condition type. */
import type { Condition } from "../generated/meta-v1.js";

/** A condition as given by a caller: the transition time is filled in unless it is known. */
export type NewCondition<C = Condition> = Omit<C, "lastTransitionTime"> & { readonly lastTransitionTime?: string };

/** Core kinds lack some condition fields; reading needs only these two. */
interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

interface SettableCondition extends ConditionLike {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
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
 * `conditions` with `condition` set. The transition time changes only when the status does: then it is the given one,
 * or `now` (RFC 3339). If nothing changes, the very same array comes back, so `===` tells whether to write.
 */
export function setCondition<C extends SettableCondition = Condition>(
  conditions: readonly C[] | undefined,
  condition: SettableCondition & NewCondition<NoInfer<C>>,
  now: string,
): readonly C[] {
  const before = conditions ?? [];
  const since = (time: string): C => ({ ...condition, lastTransitionTime: time }) as unknown as C;
  const at = before.findIndex(({ type }) => type === condition.type);
  const old = before[at];
  const given = condition.lastTransitionTime ?? now;
  if (old === undefined) return [...before, since(given)];
  const sameStatus = old.status === condition.status;
  if (
    sameStatus &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    (old.observedGeneration ?? 0) === (condition.observedGeneration ?? 0)
  ) {
    return before;
  }
  return before.with(at, since(sameStatus ? (old.lastTransitionTime ?? given) : given));
}

/** `conditions` without the entry of that type; the very same array if there was none. */
export function removeCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  const before = conditions ?? [];
  const after = before.filter((condition) => condition.type !== type);
  return after.length === before.length ? before : after;
}
