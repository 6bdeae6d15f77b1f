/** The conditions of an autoscaler: takes the present ones, gives them with one set. Pure. */
import { defined } from "../../base/defined.js";
import { formatTime, type HorizontalPodAutoscalerCondition } from "../../api/index.js";

type Conditions = readonly HorizontalPodAutoscalerCondition[];

export interface Told {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The time of transition changes with the status alone. */
export function withCondition(conditions: Conditions, told: Told, now: number): Conditions {
  const known = conditions.findIndex(({ type }) => type === told.type);
  const before = conditions[known];
  const lastTransitionTime = before?.status === told.status ? before.lastTransitionTime : formatTime(now);
  const next = { ...told, ...defined({ lastTransitionTime }) };
  return known === -1 ? [...conditions, next] : conditions.with(known, next);
}
