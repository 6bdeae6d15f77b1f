// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { Draft, ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { IntOrString, Time } from "../scalars.js";
import type { PersistentVolumeClaim, PodTemplateSpec } from "./core-v1.js";
import type { LabelSelector } from "./meta-v1.js";

export type DaemonSetUpdateStrategyType = "OnDelete" | "RollingUpdate";

export type DeploymentConditionType = "Available" | "Progressing" | "ReplicaFailure" | (string & {});

export type DeploymentStrategyType = "Recreate" | "RollingUpdate";

export type PersistentVolumeClaimRetentionPolicyType = "Delete" | "Retain" | (string & {});

export type PodManagementPolicyType = "OrderedReady" | "Parallel";

export type ReplicaSetConditionType = "ReplicaFailure" | (string & {});

export type StatefulSetUpdateStrategyType = "OnDelete" | "RollingUpdate";

type ConditionStatus = "False" | "True" | "Unknown";

export interface ControllerRevision {
  readonly apiVersion: "apps/v1";
  readonly kind: "ControllerRevision";
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly revision: number;
}
export const ControllerRevision: ResourceType<ControllerRevision> = /* @__PURE__ */ defineResource<ControllerRevision>({ group: "apps", version: "v1", kind: "ControllerRevision", plural: "controllerrevisions", scope: "Namespaced" });

export interface DaemonSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "DaemonSet";
  readonly metadata: ObjectMeta;
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}
export const DaemonSet: ResourceType<DaemonSet> = /* @__PURE__ */ defineResource<DaemonSet>({ group: "apps", version: "v1", kind: "DaemonSet", plural: "daemonsets", scope: "Namespaced", shortNames: ["ds"], categories: ["all"], subresources: ["status"] });

export interface DaemonSetCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface DaemonSetSpec {
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  readonly type?: DaemonSetUpdateStrategyType;
  readonly rollingUpdate?: RollingUpdateDaemonSet;
}

export interface Deployment {
  readonly apiVersion: "apps/v1";
  readonly kind: "Deployment";
  readonly metadata: ObjectMeta;
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
}
export const Deployment: ResourceType<Deployment> = /* @__PURE__ */ defineResource<Deployment>({ group: "apps", version: "v1", kind: "Deployment", plural: "deployments", scope: "Namespaced", shortNames: ["deploy"], categories: ["all"], subresources: ["scale", "status"] });

export interface DeploymentCondition {
  readonly type: DeploymentConditionType;
  readonly status: ConditionStatus;
  readonly lastUpdateTime?: Time;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly strategy?: DeploymentStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
  readonly collisionCount?: number;
}

export interface DeploymentStrategy {
  readonly type?: DeploymentStrategyType;
  readonly rollingUpdate?: RollingUpdateDeployment;
}

export interface ReplicaSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "ReplicaSet";
  readonly metadata: ObjectMeta;
  readonly spec?: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}
export const ReplicaSet: ResourceType<ReplicaSet> = /* @__PURE__ */ defineResource<ReplicaSet>({ group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets", scope: "Namespaced", shortNames: ["rs"], categories: ["all"], subresources: ["scale", "status"] });

export interface ReplicaSetCondition {
  readonly type: ReplicaSetConditionType;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface ReplicaSetSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  readonly maxUnavailable?: IntOrString;
  readonly maxSurge?: IntOrString;
}

export interface RollingUpdateDeployment {
  readonly maxUnavailable?: IntOrString;
  readonly maxSurge?: IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number;
  readonly maxUnavailable?: IntOrString;
}

export interface StatefulSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "StatefulSet";
  readonly metadata: ObjectMeta;
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}
export const StatefulSet: ResourceType<StatefulSet> = /* @__PURE__ */ defineResource<StatefulSet>({ group: "apps", version: "v1", kind: "StatefulSet", plural: "statefulsets", scope: "Namespaced", shortNames: ["sts"], categories: ["all"], subresources: ["scale", "status"] });

export interface StatefulSetCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface StatefulSetOrdinals {
  readonly start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: PersistentVolumeClaimRetentionPolicyType;
  readonly whenScaled?: PersistentVolumeClaimRetentionPolicyType;
}

export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly Draft<PersistentVolumeClaim>[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: PodManagementPolicyType;
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly revisionHistoryLimit?: number;
  readonly minReadySeconds?: number;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly StatefulSetCondition[];
  readonly availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  readonly type?: StatefulSetUpdateStrategyType;
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
