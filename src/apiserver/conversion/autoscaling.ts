/**
 * Converts HorizontalPodAutoscalers between autoscaling/v1 and v2. v1 has one metric, the CPU utilization; it carries
 * all others in annotations, so that a round trip loses nothing. v2 is stored.
 */
import type {
  AutoscalingV1HorizontalPodAutoscaler,
  HorizontalPodAutoscaler,
  KubeObject,
  MetricSpec,
  MetricStatus,
} from "../../api/index.js";
import type { Conversion } from "../contracts/endpoint.js";
import { fromInternalBehavior, toInternalBehavior } from "./autoscaling-behavior.js";
import { newMetric, newMetricStatus, oldMetric, oldMetricStatus } from "./autoscaling-metrics.js";
import { convert } from "./convert.js";

const prefix = "autoscaling.alpha.kubernetes.io/";
const carried = {
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
};

const defaultUtilization = 80;

export const autoscalerConversion: Conversion = { toStorage, fromStorage };

function fromStorage(object: KubeObject): KubeObject {
  const { metadata, spec, status, kind } = object as HorizontalPodAutoscaler;
  const metrics = spec?.metrics ?? [];
  const others = metrics.filter((metric) => !isProcessorUse(metric)).map(oldMetric);
  const current = status?.currentMetrics ?? [];
  const annotations = {
    ...withoutCarried(metadata.annotations),
    ...(others.length > 0 ? { [carried.metrics]: JSON.stringify(others) } : {}),
    ...(current.length > 0 ? { [carried.currentMetrics]: JSON.stringify(current.map(oldMetricStatus)) } : {}),
    ...(spec?.behavior ? { [carried.behavior]: JSON.stringify(toInternalBehavior(spec.behavior)) } : {}),
    ...(status?.conditions?.length ? { [carried.conditions]: JSON.stringify(status.conditions) } : {}),
  };
  const { scaleTargetRef, minReplicas, maxReplicas } = spec ?? {};
  const { observedGeneration, lastScaleTime, currentReplicas, desiredReplicas } = status ?? {};
  return convert("autoscaling/v1", {
    kind,
    metadata: { ...metadata, annotations },
    spec: {
      scaleTargetRef,
      minReplicas,
      maxReplicas,
      targetCPUUtilizationPercentage: metrics.find(isProcessorUse)?.resource?.target.averageUtilization,
    },
    status: {
      observedGeneration,
      lastScaleTime,
      currentReplicas,
      desiredReplicas,
      currentCPUUtilizationPercentage: current.findLast(isProcessorStatus)?.resource?.current.averageUtilization,
    },
  });
}

function toStorage(object: KubeObject): KubeObject {
  const { metadata, spec, status, kind } = object as AutoscalingV1HorizontalPodAutoscaler;
  const annotations = metadata.annotations ?? {};
  const wanted = spec?.targetCPUUtilizationPercentage;
  const metrics = [
    ...(listIn(annotations[carried.metrics]) ?? []).map(newMetric),
    ...(wanted === undefined ? [] : [processorUse(wanted)]),
  ];
  const { scaleTargetRef, minReplicas, maxReplicas } = spec ?? {};
  const { observedGeneration, lastScaleTime, currentReplicas, desiredReplicas } = status ?? {};
  return convert("autoscaling/v2", {
    kind,
    metadata: { ...metadata, annotations: withoutCarried(annotations) },
    spec: {
      scaleTargetRef,
      minReplicas,
      maxReplicas,
      metrics: metrics.length > 0 ? metrics : [processorUse(defaultUtilization)],
      behavior: fromInternalBehavior(parsed(annotations[carried.behavior])),
    },
    status: {
      observedGeneration,
      lastScaleTime,
      currentReplicas,
      desiredReplicas,
      conditions: listIn(annotations[carried.conditions]),
      currentMetrics: currentMetrics(annotations[carried.currentMetrics], status?.currentCPUUtilizationPercentage),
    },
  });
}

/** The annotation, if present, holds more than the one number. */
function currentMetrics(text: string | undefined, use: number | undefined): unknown {
  const known = listIn(text);
  if (known) return known.map(newMetricStatus);
  return use === undefined
    ? undefined
    : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: use } } }];
}

function isProcessorUse({ type, resource }: MetricSpec): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;
}

function isProcessorStatus({ type, resource }: MetricStatus): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.current.averageUtilization !== undefined;
}

function processorUse(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function withoutCarried(annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const names: readonly string[] = Object.values(carried);
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !names.includes(name)));
}

type Json = Readonly<Record<string, unknown>>;

/** The value in an annotation; text that is not JSON counts as absent. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function listIn(text: string | undefined): readonly Json[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}
