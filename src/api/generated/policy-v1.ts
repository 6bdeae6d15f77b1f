// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { IntOrString, Time } from "../scalars.js";
import type { Condition, DeleteOptions, LabelSelector } from "./meta-v1.js";

export type UnhealthyPodEvictionPolicyType = "AlwaysAllow" | "IfHealthyBudget";

export interface Eviction {
  readonly apiVersion: "policy/v1";
  readonly kind: "Eviction";
  readonly metadata: ObjectMeta;
  readonly deleteOptions?: DeleteOptions;
}

export interface PodDisruptionBudget {
  readonly apiVersion: "policy/v1";
  readonly kind: "PodDisruptionBudget";
  readonly metadata: ObjectMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}
export const PodDisruptionBudget: ResourceType<PodDisruptionBudget> = /* @__PURE__ */ defineResource<PodDisruptionBudget>({ group: "policy", version: "v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", scope: "Namespaced", shortNames: ["pdb"], subresources: ["status"] });

export interface PodDisruptionBudgetSpec {
  readonly minAvailable?: IntOrString;
  readonly selector?: LabelSelector;
  readonly maxUnavailable?: IntOrString;
  readonly unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicyType;
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, Time>>;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  readonly conditions?: readonly Condition[];
}
