/** Limits the speed of scaling: takes a recommendation and the recent past, gives the replicas that are allowed now. Pure. */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../api/index.js";
import { int32 } from "./numbers.js";

interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}

interface ScaleChange {
  /** The number of replicas that were added or removed. */
  readonly change: number;
  readonly at: number;
}

/** The recent past of one autoscaler, times in milliseconds. */
export interface ScaleHistory {
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly ScaleChange[];
  readonly downs: readonly ScaleChange[];
}

/** The history of an autoscaler at its first look at a target. */
export const firstHistory = (replicas: number, at: number): ScaleHistory => ({
  recommendations: [{ replicas, at }],
  ups: [],
  downs: [],
});

interface LimitReason {
  readonly reason: string;
  readonly message: string;
}

export interface LimitOptions {
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly current: number;
  /** The recommendation. */
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
  /** The time for which the highest recommendation holds, where no behaviour says it. */
  readonly stabilizationMs: number;
  readonly now: number;
}

export interface Limited {
  readonly replicas: number;
  /** The reason why the scale may change, or not yet. */
  readonly able: LimitReason;
  /** Whether a limit changed the number, and which. */
  readonly limited: boolean;
  readonly limit: LimitReason;
  readonly history: ScaleHistory;
}

const messages = {
  ReadyForNewScale: "recommended size matches current size",
  ScaleUpStabilized: "recent recommendations were lower than current one, applying the lowest recent recommendation",
  ScaleDownStabilized:
    "recent recommendations were higher than current one, applying the highest recent recommendation",
  DesiredWithinRange: "the desired count is within the acceptable range",
  ScaleUpLimit: "the desired replica count is increasing faster than the maximum scale rate",
  ScaleDownLimit: "the desired replica count is decreasing faster than the maximum scale rate",
  TooManyReplicas: "the desired replica count is more than the maximum replica count",
  TooFewReplicas: "the desired replica count is less than the minimum replica count",
} as const;

type Reason = keyof typeof messages;

const withMessage = (reason: Reason): LimitReason => ({ reason, message: messages[reason] });

export function limited(options: LimitOptions, history: ScaleHistory): Limited {
  const { behavior, wanted } = options;
  const stabilized = behavior === undefined ? stabilize(options, history) : stabilizeBy(behavior, options, history);
  const { replicas: asked, reason } = stabilized;
  const [replicas, limit] =
    behavior === undefined ? inDefaultRange(asked, options) : inRange(asked, behavior, { options, history });
  return {
    replicas,
    able: withMessage(asked === wanted ? "ReadyForNewScale" : reason),
    limited: replicas !== asked,
    limit: withMessage(limit),
    history: { ...history, recommendations: stabilized.recommendations },
  };
}

interface Stabilized {
  readonly replicas: number;
  readonly reason: Reason;
  readonly recommendations: readonly Recommendation[];
}

function stabilize({ wanted, stabilizationMs, now }: LimitOptions, { recommendations }: ScaleHistory): Stabilized {
  const from = now - stabilizationMs;
  const recent = recommendations.filter(({ at }) => at >= from);
  return {
    replicas: Math.max(wanted, ...recent.map(({ replicas }) => replicas)),
    reason: "ScaleDownStabilized",
    recommendations: remembered(recommendations, { replicas: wanted, at: now }, from),
  };
}

const windowOf = (rules: HPAScalingRules | undefined, otherwiseMs: number): number =>
  rules?.stabilizationWindowSeconds === undefined ? otherwiseMs : rules.stabilizationWindowSeconds * 1_000;

function stabilizeBy(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  { current, wanted, stabilizationMs, now }: LimitOptions,
  { recommendations }: ScaleHistory,
): Stabilized {
  const upFrom = now - windowOf(scaleUp, 0);
  const downFrom = now - windowOf(scaleDown, stabilizationMs);
  const since = (from: number): readonly number[] =>
    recommendations.filter(({ at }) => at > from).map(({ replicas }) => replicas);
  const lowest = Math.min(wanted, ...since(upFrom));
  const highest = Math.max(wanted, ...since(downFrom));
  return {
    replicas: Math.min(Math.max(current, lowest), highest),
    reason: wanted >= current ? "ScaleUpStabilized" : "ScaleDownStabilized",
    recommendations: remembered(recommendations, { replicas: wanted, at: now }, Math.min(upFrom, downFrom)),
  };
}

/** The list with an entry more, which takes the place of the last one from before `from`, if there is one. */
function remembered<T extends { readonly at: number }>(list: readonly T[], entry: T, from: number): readonly T[] {
  const old = list.findLastIndex(({ at }) => at < from);
  return old === -1 ? [...list, entry] : list.with(old, entry);
}

/** Without a behaviour: at most twice as many replicas at once, but always four. */
function inDefaultRange(asked: number, { current, min, max }: LimitOptions): readonly [number, Reason] {
  const upTo = int32(Math.max(2 * current, 4));
  if (asked < min) return [min, "TooFewReplicas"];
  if (asked > Math.min(max, upTo)) return max > upTo ? [upTo, "ScaleUpLimit"] : [max, "TooManyReplicas"];
  return [asked, "DesiredWithinRange"];
}

function inRange(
  asked: number,
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  { options, history }: { readonly options: LimitOptions; readonly history: ScaleHistory },
): readonly [number, Reason] {
  const { current, min, max, now } = options;
  const change = { current, history, now };
  if (asked > current) {
    const upTo = Math.max(current, rateLimit(scaleUp, { ...change, direction: 1 }));
    if (asked > Math.min(max, upTo)) return max > upTo ? [upTo, "ScaleUpLimit"] : [max, "TooManyReplicas"];
  } else if (asked < current) {
    const downTo = Math.min(current, rateLimit(scaleDown, { ...change, direction: -1 }));
    if (asked < Math.max(min, downTo)) return min < downTo ? [downTo, "ScaleDownLimit"] : [min, "TooFewReplicas"];
  }
  return [asked, "DesiredWithinRange"];
}

interface Rate {
  readonly current: number;
  readonly history: ScaleHistory;
  readonly now: number;
  /** 1 up, -1 down. */
  readonly direction: 1 | -1;
}

/** The number of replicas to which the policies allow to scale now. */
function rateLimit(rules: HPAScalingRules | undefined, { current, history, now, direction }: Rate): number {
  const { selectPolicy = "Max", policies = [] } = rules ?? {};
  if (selectPolicy === "Disabled") return current;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const from = now - periodSeconds * 1_000;
    const start = current - changed(history.ups, from) + changed(history.downs, from);
    if (type === "Pods") return start + direction * value;
    const part = start * (1 + (direction * value) / 100);
    // a part of a replica counts when scaling up, or a small target would never grow
    return int32(direction === 1 ? Math.ceil(part) : part);
  });
  const largestChange = selectPolicy !== "Min";
  return largestChange === (direction === 1) ? Math.max(...proposals) : Math.min(...proposals);
}

const changed = (changes: readonly ScaleChange[], from: number): number =>
  changes.reduce((sum, { change, at }) => (at > from ? sum + change : sum), 0);

/** The history after a change of scale. Only behaviours need to know of it. */
export function withChange(
  history: ScaleHistory,
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): ScaleHistory {
  if (behavior === undefined) return history;
  const added = (changes: readonly ScaleChange[], rules: HPAScalingRules | undefined): readonly ScaleChange[] => {
    const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
    return remembered(changes, { change: Math.abs(to - from), at: now }, now - longest * 1_000);
  };
  return to > from
    ? { ...history, ups: added(history.ups, behavior.scaleUp) }
    : { ...history, downs: added(history.downs, behavior.scaleDown) };
}
