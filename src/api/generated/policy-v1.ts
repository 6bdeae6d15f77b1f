// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { IntOrString, Time } from "../scalars.js";
import type { Condition, DeleteOptions, LabelSelector } from "./meta-v1.js";

export type UnhealthyPodEvictionPolicyType = "AlwaysAllow" | "IfHealthyBudget";

/** Asks for a pod to be taken away, if budgets allow it. */
export interface Eviction {
  readonly apiVersion: "policy/v1";
  readonly kind: "Eviction";
  readonly metadata: ObjectMeta;
  readonly deleteOptions?: DeleteOptions;
}

/** How many pods of a set may be taken away on purpose at one time. */
export interface PodDisruptionBudget {
  readonly apiVersion: "policy/v1";
  readonly kind: "PodDisruptionBudget";
  readonly metadata: ObjectMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}
export const PodDisruptionBudget: ResourceType<PodDisruptionBudget> = /* @__PURE__ */ defineResource<PodDisruptionBudget>({ group: "policy", version: "v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", scope: "Namespaced", shortNames: ["pdb"], subresources: ["status"] });

export interface PodDisruptionBudgetSpec {
  /** At least so many must stay, as a number or percentage. */
  readonly minAvailable?: IntOrString;
  /** Which pods. */
  readonly selector?: LabelSelector;
  /** At most so many may be missing, as a number or percentage. */
  readonly maxUnavailable?: IntOrString;
  /** Whether pods that do not work anyway may always be taken. */
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
