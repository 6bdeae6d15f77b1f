/**
 * Converts the behaviour of autoscalers to and from its annotation, which uses the field names of upstream's internal
 * Go types.
 */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "../../api/index.js";

type Json = Readonly<Record<string, unknown>>;

export function toInternalBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): Json {
  return { ScaleUp: rulesOut(scaleUp), ScaleDown: rulesOut(scaleDown) };
}

function rulesOut(rules: HPAScalingRules | undefined): Json | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies:
      rules.policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: rules.tolerance ?? null,
  };
}

/** Undefined for a value that is no behaviour, or an empty one. */
export function fromInternalBehavior(value: unknown): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { ScaleUp: up, ScaleDown: down } = value as Json;
  if (!up && !down) return undefined;
  return { ...(up ? { scaleUp: rulesIn(up as Json) } : {}), ...(down ? { scaleDown: rulesIn(down as Json) } : {}) };
}

function rulesIn(rules: Json): Json {
  const policies = Array.isArray(rules["Policies"]) ? (rules["Policies"] as readonly Json[]) : undefined;
  return {
    stabilizationWindowSeconds: rules["StabilizationWindowSeconds"] ?? undefined,
    selectPolicy: rules["SelectPolicy"] ?? undefined,
    policies: policies?.map((policy) => ({
      type: policy["Type"],
      value: policy["Value"],
      periodSeconds: policy["PeriodSeconds"],
    })),
    tolerance: rules["Tolerance"] ?? undefined,
  };
}
