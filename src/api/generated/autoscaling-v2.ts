// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { QuantityText, Time } from "../scalars.js";
import type { LabelSelector } from "./meta-v1.js";

export type HPAScalingPolicyType = "Percent" | "Pods" | (string & {});

export type HorizontalPodAutoscalerConditionType = "AbleToScale" | "ScaledToZero" | "ScalingActive" | "ScalingLimited" | (string & {});

export type MetricSourceType = "ContainerResource" | "External" | "Object" | "Pods" | "Resource" | (string & {});

export type MetricTargetType = "AverageValue" | "Utilization" | "Value" | (string & {});

export type ScalingPolicySelect = "Disabled" | "Max" | "Min" | (string & {});

type ConditionStatus = "False" | "True" | "Unknown";

type ResourceName = "configmaps" | "cpu" | "ephemeral-storage" | "limits.cpu" | "limits.ephemeral-storage" | "limits.memory" | "memory" | "persistentvolumeclaims" | "pods" | "replicationcontrollers" | "requests.cpu" | "requests.ephemeral-storage" | "requests.memory" | "requests.storage" | "resourcequotas" | "secrets" | "services" | "services.loadbalancers" | "services.nodeports" | "storage" | (string & {});

export interface ContainerResourceMetricSource {
  readonly name: ResourceName;
  readonly target: MetricTarget;
  readonly container: string;
}

export interface ContainerResourceMetricStatus {
  readonly name: ResourceName;
  readonly current: MetricValueStatus;
  readonly container: string;
}

export interface CrossVersionObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

export interface ExternalMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ExternalMetricStatus {
  readonly metric: MetricIdentifier;
  readonly current: MetricValueStatus;
}

export interface HPAScalingPolicy {
  readonly type: HPAScalingPolicyType;
  readonly value: number;
  readonly periodSeconds: number;
}

export interface HPAScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: ScalingPolicySelect;
  readonly policies?: readonly HPAScalingPolicy[];
  readonly tolerance?: QuantityText;
}

/** Changes the number of pods of something by what is measured. */
export interface HorizontalPodAutoscaler {
  readonly apiVersion: "autoscaling/v2";
  readonly kind: "HorizontalPodAutoscaler";
  readonly metadata: ObjectMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}
export const HorizontalPodAutoscaler: ResourceType<HorizontalPodAutoscaler> = /* @__PURE__ */ defineResource<HorizontalPodAutoscaler>({ group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", scope: "Namespaced", shortNames: ["hpa"], categories: ["all"], subresources: ["status"] });

export interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules;
  readonly scaleDown?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  readonly type: HorizontalPodAutoscalerConditionType;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface HorizontalPodAutoscalerSpec {
  /** The object that is scaled. */
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** At least so many pods. */
  readonly minReplicas?: number;
  /** At most so many pods. */
  readonly maxReplicas: number;
  /** The measurements, each with its target. */
  readonly metrics?: readonly MetricSpec[];
  /** How fast numbers may change. */
  readonly behavior?: HorizontalPodAutoscalerBehavior;
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: Time;
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
  readonly currentMetrics?: readonly MetricStatus[];
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

export interface MetricSpec {
  readonly type: MetricSourceType;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
}

export interface MetricStatus {
  readonly type: MetricSourceType;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly containerResource?: ContainerResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
}

export interface MetricTarget {
  readonly type: MetricTargetType;
  readonly value?: QuantityText;
  readonly averageValue?: QuantityText;
  readonly averageUtilization?: number;
}

export interface MetricValueStatus {
  readonly value?: QuantityText;
  readonly averageValue?: QuantityText;
  readonly averageUtilization?: number;
}

export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference;
  readonly target: MetricTarget;
  readonly metric: MetricIdentifier;
}

export interface ObjectMetricStatus {
  readonly metric: MetricIdentifier;
  readonly current: MetricValueStatus;
  readonly describedObject: CrossVersionObjectReference;
}

export interface PodsMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface PodsMetricStatus {
  readonly metric: MetricIdentifier;
  readonly current: MetricValueStatus;
}

export interface ResourceMetricSource {
  readonly name: ResourceName;
  readonly target: MetricTarget;
}

export interface ResourceMetricStatus {
  readonly name: ResourceName;
  readonly current: MetricValueStatus;
}
