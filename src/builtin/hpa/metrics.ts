/** Judges one metric of an autoscaler: takes its reading, gives the replicas that it asks for and its status. Pure. */
import { type LabelSelector, type MetricSpec, type MetricStatus, Quantity } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import { milliOf } from "./numbers.js";
import type { PodReadings } from "./pods.js";
import { byAverage, byExternalShare, byShare, byUtilization, byValue, type Situation, totalOf } from "./replicas.js";
import { goSelector } from "../kit/selector.js";

/** The value of a metric, as the metrics APIs tell it; `problem` says why there is none. */
export type Reading =
  | { readonly type: "pods"; readonly values: PodReadings }
  | { readonly type: "object"; readonly value: bigint }
  | { readonly type: "external"; readonly values: readonly bigint[] }
  | { readonly type: "none"; readonly problem: string };

export type Judgement =
  | { readonly type: "proposal"; readonly replicas: number; readonly name: string; readonly status: MetricStatus }
  | { readonly type: "failure"; readonly reason: string; readonly problem: string; readonly error: string };

type Proposal = Omit<Extract<Judgement, { type: "proposal" }>, "type">;

export function judge(metric: MetricSpec, reading: Reading, situation: Situation): Judgement {
  const { reason, prefix } = wordsOf(metric);
  try {
    return { type: "proposal", ...proposalOf(metric, reading, situation) };
  } catch (error) {
    const problem = messageOf(error);
    // the error of the whole names the kind of metric once more
    const inner = innerPrefix(metric);
    return { type: "failure", reason, problem, error: `${prefix}: ${inner === "" ? "" : `${inner}: `}${problem}` };
  }
}

function wordsOf({ type, resource, containerResource, external }: MetricSpec): {
  readonly reason: string;
  readonly prefix: string;
} {
  switch (type) {
    case "Resource":
      return { reason: "FailedGetResourceMetric", prefix: `failed to get ${resource?.name} resource metric value` };
    case "ContainerResource":
      return {
        reason: "FailedGetContainerResourceMetric",
        prefix: `failed to get ${containerResource?.container} container metric value`,
      };
    case "Pods":
      return { reason: "FailedGetPodsMetric", prefix: "failed to get pods metric value" };
    case "Object":
      return { reason: "FailedGetObjectMetric", prefix: "failed to get object metric value" };
    default:
      return {
        reason: "FailedGetExternalMetric",
        prefix: `failed to get ${external?.metric.name} external metric value`,
      };
  }
}

function innerPrefix({ object, external }: MetricSpec): string {
  if (object !== undefined) {
    return object.target.type === "AverageValue" ? `failed to get ${object.metric.name} object metric` : "";
  }
  if (external === undefined) return "";
  const { name } = external.metric;
  return external.target.averageValue === undefined
    ? `failed to get external metric ${name}`
    : `failed to get ${name} external metric`;
}

function proposalOf(metric: MetricSpec, reading: Reading, situation: Situation): Proposal {
  switch (metric.type) {
    case "Resource":
    case "ContainerResource":
      return resourceProposal(metric, reading, situation);
    case "Pods":
      return podsProposal(metric, reading, situation);
    case "Object":
      return objectProposal(metric, reading, situation);
    default:
      return externalProposal(metric, reading, situation);
  }
}

function resourceProposal(metric: MetricSpec, reading: Reading, situation: Situation): Proposal {
  const { type, resource, containerResource } = metric;
  const {
    name,
    target,
    container = "",
  } = { ...resource, ...containerResource } as {
    readonly name: string;
    readonly container?: string;
    readonly target: { readonly averageValue?: string; readonly averageUtilization?: number };
  };
  const format = name === "memory" ? "BinarySI" : "DecimalSI";
  const amount = (milli: bigint): string => String(Quantity.of(milli, { exponent: -3, format }));
  const statusOf = (current: object): MetricStatus =>
    (type === "Resource"
      ? { type, resource: { name, current } }
      : { type, containerResource: { name, current, container } }) as MetricStatus;
  if (target.averageValue !== undefined) {
    const values = within(`failed to get ${name} usage`, () => podValues(reading, `resource ${name}`));
    const by = { target: milliOf(target.averageValue), resource: name };
    const { replicas, average } = within(`failed to get ${name} usage`, () => byAverage(situation, values, by));
    return { replicas, name: `${name} resource`, status: statusOf({ averageValue: amount(average) }) };
  }
  const { averageUtilization } = target;
  if (averageUtilization === undefined) {
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  const { replicas, average, utilization } = within(`failed to get ${name} utilization`, () => {
    const values = podValues(reading, `resource ${name}`);
    return byUtilization(situation, values, { target: averageUtilization, resource: name, container });
  });
  const kind = type === "Resource" ? "resource" : "container resource";
  return {
    replicas,
    name: `${name} ${kind} utilization (percentage of request)`,
    status: statusOf({ averageValue: amount(average), averageUtilization: utilization }),
  };
}

function within<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${prefix}: ${messageOf(error)}`, { cause: error });
  }
}

function podValues(reading: Reading, what: string): PodReadings {
  if (reading.type === "pods") return reading.values;
  throw new Error(`unable to get metrics for ${what}: ${problemOf(reading)}`);
}

const problemOf = (reading: Reading): string =>
  reading.type === "none" ? reading.problem : "the reading is of another type";

const milliText = (milli: bigint): string => String(Quantity.of(milli, { exponent: -3 }));

function podsProposal({ type, pods }: MetricSpec, reading: Reading, situation: Situation): Proposal {
  const { metric, target } = pods as NonNullable<typeof pods>;
  const { name } = metric;
  if (reading.type !== "pods") throw new Error(`unable to get metric ${name}: ${problemOf(reading)}`);
  const by = { target: milliOf(target.averageValue), resource: "" };
  const { replicas, average } = byAverage(situation, reading.values, by);
  const status = { type, pods: { metric, current: { averageValue: milliText(average) } } };
  return { replicas, name: `pods metric ${name}`, status };
}

function objectProposal({ type, object }: MetricSpec, reading: Reading, situation: Situation): Proposal {
  const { metric, target, describedObject } = object as NonNullable<typeof object>;
  const byWhole = target.type === "Value" && target.value !== undefined;
  if (!byWhole && (target.type !== "AverageValue" || target.averageValue === undefined)) {
    throw new Error("invalid object metric source: neither a value target nor an average value target was set");
  }
  if (reading.type !== "object") throw new Error(problemOf(reading));
  const { value } = reading;
  const statusOf = (current: object): MetricStatus => ({ type, object: { metric, current, describedObject } });
  if (byWhole) {
    const replicas = byValue(situation, value, milliOf(target.value));
    const status = statusOf({ value: milliText(value) });
    return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status };
  }
  const { replicas, average } = byShare(situation, value, milliOf(target.averageValue));
  return { replicas, name: externalName(metric), status: statusOf({ averageValue: milliText(average) }) };
}

function externalProposal({ type, external }: MetricSpec, reading: Reading, situation: Situation): Proposal {
  const { metric, target } = external as NonNullable<typeof external>;
  if (target.averageValue === undefined && target.value === undefined) {
    throw new Error("invalid external metric source: neither a value target nor an average value target was set");
  }
  if (reading.type !== "external") throw new Error(problemOf(reading));
  const statusOf = (current: object): MetricStatus => ({ type, external: { metric, current } }) as MetricStatus;
  const name = externalName(metric);
  if (target.averageValue !== undefined) {
    const { replicas, average } = byExternalShare(situation, reading.values, milliOf(target.averageValue));
    return { replicas, name, status: statusOf({ averageValue: milliText(average) }) };
  }
  const value = totalOf(reading.values);
  const replicas = byValue(situation, value, milliOf(target.value));
  return { replicas, name, status: statusOf({ value: milliText(value) }) };
}

const externalName = ({ name, selector }: { readonly name: string; readonly selector?: LabelSelector }): string =>
  `external metric ${name}(${goSelector(selector)})`;
