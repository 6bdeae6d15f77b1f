// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";

export interface CrossVersionObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

/** Changes the number of pods of something by their use of processors. */
export interface HorizontalPodAutoscaler {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "HorizontalPodAutoscaler";
  readonly metadata: ObjectMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}
export const HorizontalPodAutoscaler: ResourceType<HorizontalPodAutoscaler> = /* @__PURE__ */ defineResource<HorizontalPodAutoscaler>({ group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", scope: "Namespaced", shortNames: ["hpa"], categories: ["all"], subresources: ["status"] });

export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: Time;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly currentCPUUtilizationPercentage?: number;
}

/** The number of pods of something, without the rest. */
export interface Scale {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "Scale";
  readonly metadata: ObjectMeta;
  readonly spec?: ScaleSpec;
  readonly status?: ScaleStatus;
}

export interface ScaleSpec {
  /** How many are wanted. */
  readonly replicas?: number;
}

export interface ScaleStatus {
  /** How many there are. */
  readonly replicas: number;
  /** Which pods belong to it, as text. */
  readonly selector?: string;
}
