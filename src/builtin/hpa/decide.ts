/**
 * Decides about the scale of an autoscaler's target: takes the autoscaler, its target's scale and pods, the readings of
 * its metrics and its history; gives the new scale, the status and the events. Pure.
 */
import { defined } from "../../base/defined.js";
import {
  formatTime,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
  type MetricStatus,
  parseQuantity,
  type Pod,
  setCondition,
} from "../../api/index.js";
import { limited, type ScaleHistory, withChange } from "./limits.js";
import { judge, type Reading } from "./metrics.js";
import type { Readiness } from "./pods.js";
import type { Tolerances } from "./replicas.js";

export interface AutoscalerSettings extends Readiness {
  /** The time between two looks at a target. */
  readonly syncPeriodMs: number;
  /** The time for which a target is not scaled below a recommendation. */
  readonly downscaleStabilizationMs: number;
  /** The distance of a metric from its target that changes no scale. */
  readonly tolerance: number;
}

export interface TargetScale {
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

export interface AutoscalerEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The readings of the metrics in their order, or why none could be read. */
export type Readings =
  | { readonly type: "read"; readonly pods: readonly Pod[]; readonly readings: readonly Reading[] }
  | { readonly type: "refused"; readonly event: AutoscalerEvent; readonly reason: string; readonly message: string };

export interface View {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly scale: TargetScale;
  readonly readings: Readings;
  readonly history: ScaleHistory;
  readonly now: number;
  readonly settings: AutoscalerSettings;
}

type Status = HorizontalPodAutoscalerStatus;

/** The status and the events that follow from a decision. */
export interface ScaleOutcome {
  readonly status: Status;
  readonly events: readonly AutoscalerEvent[];
}

export interface Decision extends ScaleOutcome {
  readonly history: ScaleHistory;
  /** The change of scale. The status and events of the decision hold if it succeeds. */
  readonly rescale?: { readonly replicas: number; failed(problem: string): ScaleOutcome };
}

const minOf = ({ spec }: HorizontalPodAutoscaler): number => spec?.minReplicas ?? 1;
const maxOf = ({ spec }: HorizontalPodAutoscaler): number => spec?.maxReplicas ?? 0;

/** Whether the scale is decided by metrics, and not by the limits alone. */
export function needsMetrics(autoscaler: HorizontalPodAutoscaler, { specReplicas }: TargetScale): boolean {
  return specReplicas !== 0 && specReplicas <= maxOf(autoscaler) && specReplicas >= minOf(autoscaler);
}

const statusOf = ({ status }: HorizontalPodAutoscaler): Status => status ?? { desiredReplicas: 0 };

interface Told {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The status of an autoscaler whose target's scale cannot be read. */
export function withoutScale(autoscaler: HorizontalPodAutoscaler, problem: string, now: number): ScaleOutcome {
  const condition: Told = {
    type: "AbleToScale",
    status: "False",
    reason: "FailedGetScale",
    message: `the HPA controller was unable to get the target's current scale: ${problem}`,
  };
  return {
    status: told(statusOf(autoscaler), now, condition),
    events: [{ type: "Warning", reason: "FailedGetScale", message: problem }],
  };
}

export function decide(view: View): Decision {
  const { autoscaler, scale, history, now } = view;
  const { specReplicas: current } = scale;
  const start = told(statusOf(autoscaler), now, {
    type: "AbleToScale",
    status: "True",
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  });
  if (needsMetrics(autoscaler, scale)) return byMetrics(view, start);
  if (current === 0) {
    const disabled = told(start, now, {
      type: "ScalingActive",
      status: "False",
      reason: "ScalingDisabled",
      message: "scaling is disabled since the replica count of the target is zero",
    });
    return { status: described(disabled, { current, desired: current }), events: [], history };
  }
  const isAbove = current > maxOf(autoscaler);
  const limit = isAbove ? "above Spec.MaxReplicas" : "below Spec.MinReplicas";
  return rescaled(view, start, {
    to: isAbove ? maxOf(autoscaler) : minOf(autoscaler),
    reason: `Current number of replicas ${limit}`,
    events: [],
    metrics: undefined,
    history,
  });
}

const told = (status: Status, now: number, condition: Told): Status => ({
  ...status,
  conditions: setCondition(status.conditions, condition, formatTime(now)),
});

interface Described {
  readonly current: number;
  readonly desired: number;
  readonly metrics?: readonly MetricStatus[] | undefined;
}

function described(status: Status, { current, desired, metrics }: Described): Status {
  const { lastScaleTime, conditions } = status;
  return {
    ...defined({ lastScaleTime }),
    currentReplicas: current,
    desiredReplicas: desired,
    ...defined({ currentMetrics: metrics, conditions }),
  };
}

function tolerancesOf({ spec }: HorizontalPodAutoscaler, tolerance: number): Tolerances {
  const { scaleUp, scaleDown } = spec?.behavior ?? {};
  const own = (text: string | undefined): number =>
    text === undefined ? tolerance : parseQuantity(text).asApproximateFloat();
  return { up: own(scaleUp?.tolerance), down: own(scaleDown?.tolerance) };
}

/** The proposals of all metrics: the largest counts. */
interface Verdict {
  readonly replicas: number;
  readonly name: string;
  readonly metrics: readonly MetricStatus[];
  readonly events: readonly AutoscalerEvent[];
  /** The first metric that failed, if scaling by the others is not safe. */
  readonly failure?: { readonly condition: Told; readonly error: string };
}

/** A metric without a value has an empty status. */
const emptyStatus = { type: "" } as unknown as MetricStatus;

function verdictOf(
  { autoscaler, scale, now, settings }: View,
  pods: readonly Pod[],
  readings: readonly Reading[],
): Verdict {
  const specs = autoscaler.spec?.metrics ?? [];
  const situation = { ...scale, ...settings, pods, now, tolerances: tolerancesOf(autoscaler, settings.tolerance) };
  const judgements = specs.map((metric, index) => judge(metric, readings[index] as Reading, situation));
  const events: AutoscalerEvent[] = [];
  let best = { replicas: 0, name: "" };
  for (const judgement of judgements) {
    if (judgement.type === "failure") {
      events.push({ type: "Warning", reason: judgement.reason, message: judgement.problem });
    } else if (best.replicas === 0 || judgement.replicas > best.replicas) best = judgement;
  }
  const metrics = judgements.map((one) => (one.type === "failure" ? emptyStatus : one.status));
  const failures = judgements.filter((one) => one.type === "failure");
  const [first] = failures;
  const verdict = { replicas: best.replicas, name: best.name, metrics, events };
  const isUnsafe = failures.length >= specs.length || (failures.length > 0 && best.replicas < scale.specReplicas);
  if (!isUnsafe) return verdict;
  const condition: Told = {
    type: "ScalingActive",
    status: "False",
    reason: first?.reason ?? "",
    message: first === undefined ? "" : `the HPA was unable to compute the replica count: ${first.problem}`,
  };
  const counts = `${failures.length} invalid out of ${specs.length}`;
  return { ...verdict, failure: { condition, error: `invalid metrics (${counts}), first error is: ${first?.error}` } };
}

function byMetrics(view: View, start: Status): Decision {
  const { autoscaler, scale, readings, history, now, settings } = view;
  const { specReplicas: current } = scale;
  const failed = (status: Status, more: { events: readonly AutoscalerEvent[]; error: string } & Partial<Described>) => {
    const events = [
      ...more.events,
      { type: "Warning", reason: "FailedComputeMetricsReplicas", message: more.error } as const,
    ];
    const desired = status.desiredReplicas;
    return { status: described(status, { current, desired, metrics: more.metrics }), events, history };
  };
  if (readings.type === "refused") {
    const { event, reason, message } = readings;
    const inactive = told(start, now, { type: "ScalingActive", status: "False", reason, message });
    return failed(inactive, { events: [event], error: event.message });
  }
  const { replicas, name, metrics, events, failure } = verdictOf(view, readings.pods, readings.readings);
  if (failure !== undefined) {
    return failed(told(start, now, failure.condition), { events, error: failure.error, metrics });
  }
  const active = told(start, now, {
    type: "ScalingActive",
    status: "True",
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${name}`,
  });
  const wanted = Math.max(0, replicas);
  const limits = limited(
    {
      behavior: autoscaler.spec?.behavior,
      current,
      wanted,
      min: minOf(autoscaler),
      max: maxOf(autoscaler),
      stabilizationMs: settings.downscaleStabilizationMs,
      now,
    },
    history,
  );
  const able = told(active, now, { type: "AbleToScale", status: "True", ...limits.able });
  const limitedBy: Told = { type: "ScalingLimited", status: limits.limited ? "True" : "False", ...limits.limit };
  const status = told(able, now, limitedBy);
  const { replicas: to } = limits;
  if (to === current) {
    const kept = described(status, { current, desired: current, metrics });
    return { status: kept, events, history: limits.history };
  }
  const reason = wanted > current ? `${name} above target` : wanted < current ? "All metrics below target" : "";
  return rescaled(view, status, { to, reason, events, metrics, history: limits.history });
}

interface Change {
  readonly to: number;
  readonly reason: string;
  readonly events: readonly AutoscalerEvent[];
  readonly metrics: readonly MetricStatus[] | undefined;
  readonly history: ScaleHistory;
}

function rescaled(view: View, status: Status, { to, reason, events, metrics, history }: Change): Decision {
  const { autoscaler, scale, now } = view;
  const { specReplicas: current } = scale;
  const done = told(status, now, {
    type: "AbleToScale",
    status: "True",
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${to}`,
  });
  return {
    status: { ...described(done, { current, desired: to, metrics }), lastScaleTime: formatTime(now) },
    events: [...events, { type: "Normal", reason: "SuccessfulRescale", message: `New size: ${to}; reason: ${reason}` }],
    history: withChange(history, autoscaler.spec?.behavior, { from: current, to, now }),
    rescale: {
      replicas: to,
      failed: (problem) => {
        const unable = told(status, now, {
          type: "AbleToScale",
          status: "False",
          reason: "FailedUpdateScale",
          message: `the HPA controller was unable to update the target scale: ${problem}`,
        });
        const message = `New size: ${to}; reason: ${reason}; error: ${problem}`;
        return {
          status: described(unable, { current, desired: status.desiredReplicas, metrics }),
          events: [...events, { type: "Warning", reason: "FailedRescale", message }],
        };
      },
    },
  };
}
