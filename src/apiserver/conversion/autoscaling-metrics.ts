/** Converts metrics of autoscalers between autoscaling/v2 and the flat form in annotations of autoscaling/v1. */
import { defined } from "../../base/defined.js";
import { isRecord, lookup } from "../../base/members.js";
import type { MetricSpec, MetricStatus } from "../../api/index.js";

type Json = Readonly<Record<string, unknown>>;

/** The member of a part that holds its amounts, and the start of the flat names of these amounts. */
type Side = "target" | "current";

/** For each part of a metric, its flat fields in v1 and the paths of their values in v2; `@` is the side. */
const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = lookup({
  object: {
    target: "describedObject",
    metricName: "metric.name",
    "@Value": "@.value",
    selector: "metric.selector",
    averageValue: "@.averageValue",
  },
  pods: { metricName: "metric.name", "@AverageValue": "@.averageValue", selector: "metric.selector" },
  resource: {
    name: "name",
    "@AverageUtilization": "@.averageUtilization",
    "@AverageValue": "@.averageValue",
  },
  external: {
    metricName: "metric.name",
    metricSelector: "metric.selector",
    "@Value": "@.value",
    "@AverageValue": "@.averageValue",
  },
  containerResource: {
    name: "name",
    "@AverageUtilization": "@.averageUtilization",
    "@AverageValue": "@.averageValue",
    container: "container",
  },
});

/** Fields that the flat form cannot leave out: an absent amount is a zero. */
const neverAbsent: ReadonlySet<string> = new Set([
  "object.targetValue",
  "pods.targetAverageValue",
  "object.currentValue",
  "pods.currentAverageValue",
  "resource.currentAverageValue",
  "external.currentValue",
  "containerResource.currentAverageValue",
]);

function flat(metric: MetricSpec | MetricStatus, side: Side): Json {
  const result: Record<string, unknown> = { type: metric.type };
  for (const [part, fields] of Object.entries(parts)) {
    const given = (metric as unknown as Json)[part];
    if (!isRecord(given)) continue;
    const entries = Object.entries(fields).map(([name, path]) => {
      const field = name.replace("@", side);
      const value = path.split(".").reduce<unknown>((at, step) => (at as Json)[step === "@" ? side : step], given);
      return [field, value ?? (neverAbsent.has(`${part}.${field}`) ? "0" : undefined)] as const;
    });
    result[part] = defined(Object.fromEntries(entries));
  }
  return result;
}

function nested(metric: Json, side: Side, amountsOf: (part: string, amounts: Json) => Json): Json {
  const result: Record<string, unknown> = { type: metric["type"] };
  for (const [part, fields] of Object.entries(parts)) {
    const given = metric[part];
    if (!isRecord(given)) continue;
    const made: Record<string, Record<string, unknown>> = {};
    const plain: Record<string, unknown> = {};
    for (const [name, path] of Object.entries(fields)) {
      const value = given[name.replace("@", side)];
      const [first = "", second] = path.replace("@", side).split(".");
      if (second !== undefined) (made[first] ??= {})[second] = value;
      else plain[first] = value;
    }
    const { [side]: amounts = {}, metric: about } = made;
    result[part] = { ...plain, ...(about && { metric: defined(about) }), [side]: defined(amountsOf(part, amounts)) };
  }
  return result;
}

/** The amounts of a target with its type. A zero value of an object beside an average means that the value is absent. */
function targetOf(part: string, { value, averageValue, averageUtilization }: Json): Json {
  if (part === "object") {
    if (averageValue === undefined) return { type: "Value", value };
    return { type: "AverageValue", value: value === "0" ? undefined : value, averageValue };
  }
  const type = averageUtilization !== undefined ? "Utilization" : value !== undefined ? "Value" : "AverageValue";
  return { type, value, averageValue, averageUtilization };
}

export const oldMetric = (metric: MetricSpec): Json => flat(metric, "target");
export const newMetric = (metric: Json): Json => nested(metric, "target", targetOf);
export const oldMetricStatus = (metric: MetricStatus): Json => flat(metric, "current");
export const newMetricStatus = (metric: Json): Json => nested(metric, "current", (_, amounts) => amounts);
