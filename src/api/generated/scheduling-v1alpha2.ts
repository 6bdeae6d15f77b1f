// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Condition } from "./meta-v1.js";

export type DisruptionMode = "Pod" | "PodGroup";

export interface BasicSchedulingPolicy {
}

export interface GangSchedulingPolicy {
  readonly minCount: number;
}

export interface PodGroup {
  readonly apiVersion: "scheduling.k8s.io/v1alpha2";
  readonly kind: "PodGroup";
  readonly metadata: ObjectMeta;
  readonly spec: PodGroupSpec;
  readonly status?: PodGroupStatus;
}
export const PodGroup: ResourceType<PodGroup> = /* @__PURE__ */ defineResource<PodGroup>({ group: "scheduling.k8s.io", version: "v1alpha2", kind: "PodGroup", plural: "podgroups", scope: "Namespaced", subresources: ["status"] });

export interface PodGroupResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodGroupResourceClaimStatus {
  readonly name: string;
  readonly resourceClaimName?: string;
}

export interface PodGroupSchedulingConstraints {
  readonly topology?: readonly TopologyConstraint[];
}

export interface PodGroupSchedulingPolicy {
  readonly basic?: BasicSchedulingPolicy;
  readonly gang?: GangSchedulingPolicy;
}

export interface PodGroupSpec {
  readonly podGroupTemplateRef?: PodGroupTemplateReference;
  readonly schedulingPolicy: PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly PodGroupResourceClaim[];
  readonly disruptionMode?: DisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: number;
}

export interface PodGroupStatus {
  readonly conditions?: readonly Condition[];
  readonly resourceClaimStatuses?: readonly PodGroupResourceClaimStatus[];
}

export interface PodGroupTemplate {
  readonly name: string;
  readonly schedulingPolicy: PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly PodGroupResourceClaim[];
  readonly disruptionMode?: DisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: number;
}

export interface PodGroupTemplateReference {
  readonly workload?: WorkloadPodGroupTemplateReference;
}

export interface TopologyConstraint {
  readonly key: string;
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Workload {
  readonly apiVersion: "scheduling.k8s.io/v1alpha2";
  readonly kind: "Workload";
  readonly metadata: ObjectMeta;
  readonly spec: WorkloadSpec;
}
export const Workload: ResourceType<Workload> = /* @__PURE__ */ defineResource<Workload>({ group: "scheduling.k8s.io", version: "v1alpha2", kind: "Workload", plural: "workloads", scope: "Namespaced" });

export interface WorkloadPodGroupTemplateReference {
  readonly workloadName: string;
  readonly podGroupTemplateName: string;
}

export interface WorkloadSpec {
  readonly controllerRef?: TypedLocalObjectReference;
  readonly podGroupTemplates: readonly PodGroupTemplate[];
}
