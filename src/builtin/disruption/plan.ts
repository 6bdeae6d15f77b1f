/** The number of pods of a budget that may be disrupted now: takes the budget and its pods, gives the budget's status. Pure. */
import {
  deepEqual,
  formatTime,
  isDeleting,
  parseTime,
  type Pod,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  scaledValueOf,
  setCondition,
} from "../../api/index.js";
import { isReady, observedGenerationOf } from "../pods/state.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import { goSelector } from "../kit/selector.js";

/** An allowed eviction that has not happened within this time is no longer counted. */
const disruptionTimeoutMs: number = 2 * 60_000;

export interface ObservedBudget {
  readonly budget: PodDisruptionBudget;
  readonly pods: readonly Pod[];
  /** The number of pods that the controllers of these pods want altogether; undefined if it cannot be found out. */
  readonly wanted: number | undefined;
}

export interface BudgetPlan {
  /** The status to write; undefined if it equals the stored one. */
  readonly status: PodDisruptionBudgetStatus | undefined;
  /** Pods whose eviction was allowed but did not happen in time. */
  readonly notDeleted: readonly Pod[];
  readonly recheckAfterMs: number | undefined;
}

/**
 * True if the budget is relative to the number of wanted pods: for `maxUnavailable` and for a percentage. An absolute
 * `minAvailable` is relative to the pods that exist.
 */
export function countsWanted({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

export function planBudget({ budget, pods, wanted = 0 }: ObservedBudget, now: number): BudgetPlan {
  const { spec, status } = budget;
  // a budget with neither limit expects no pods, and so allows no disruption
  const expectedPods = countsWanted(budget) ? wanted : spec?.minAvailable === undefined ? 0 : pods.length;
  const desiredHealthy =
    spec?.maxUnavailable !== undefined
      ? Math.max(0, expectedPods - scaledValueOf(spec.maxUnavailable, expectedPods, "up"))
      : scaledValueOf(spec?.minAvailable ?? 0, expectedPods, "up");
  const { disruptedPods, notDeleted, recheckAfterMs } = stillDisrupted(budget, pods, now);
  const currentHealthy = pods.filter(
    (pod) => !isDeleting(pod) && isReady(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name),
  ).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const enough = disruptionsAllowed > 0;
  const conditions = setCondition(
    status?.conditions,
    {
      type: "DisruptionAllowed",
      status: enough ? "True" : "False",
      reason: enough ? "SufficientPods" : "InsufficientPods",
      message: "",
      ...observedGenerationOf(budget),
    },
    formatTime(now),
  );
  const next: PodDisruptionBudgetStatus = {
    ...observedGenerationOf(budget),
    ...defined({ disruptedPods: unlessEmpty(disruptedPods) }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions,
  };
  return { status: deepEqual(next, status) ? undefined : next, notDeleted, recheckAfterMs };
}

/** Pods whose eviction was allowed a moment ago and which still exist: they count as gone already. */
function stillDisrupted({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: Pod[] = [];
  let recheckAfterMs: number | undefined;
  const present = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  for (const [name, since] of Object.entries(status?.disruptedPods ?? {})) {
    const pod = present.get(name);
    if (pod === undefined || isDeleting(pod)) continue;
    const leftMs = parseTime(since) + disruptionTimeoutMs - now;
    if (leftMs <= 0) notDeleted.push(pod);
    else {
      disruptedPods[name] = since;
      recheckAfterMs = Math.min(recheckAfterMs ?? leftMs, leftMs);
    }
  }
  return { disruptedPods, notDeleted, recheckAfterMs };
}

/** The status when the number of wanted pods cannot be found out: it allows no disruption. */
export function failSafe({ status }: PodDisruptionBudget, message: string, now: number): PodDisruptionBudgetStatus {
  const condition = { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message } as const;
  const { observedGeneration } = status ?? {};
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions: setCondition(status?.conditions, { ...condition, ...generation }, formatTime(now)),
  };
}

/** Upstream's message, which prints the selector as a Go struct. */
export function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${goSelector(spec?.selector ?? {})}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}
