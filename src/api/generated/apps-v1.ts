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

/** A snapshot of what a controller wanted at some time, to go back to. */
export interface ControllerRevision {
  readonly apiVersion: "apps/v1";
  readonly kind: "ControllerRevision";
  readonly metadata: ObjectMeta;
  /** The snapshot. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Its number; higher is newer. */
  readonly revision: number;
}
export const ControllerRevision: ResourceType<ControllerRevision> = /* @__PURE__ */ defineResource<ControllerRevision>({ group: "apps", version: "v1", kind: "ControllerRevision", plural: "controllerrevisions", scope: "Namespaced" });

/** Runs one pod on every node that fits. */
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
  /** Which pods belong to this. Must match the template's labels. Cannot be changed. */
  readonly selector: LabelSelector;
  /** The template of the pods. */
  readonly template: PodTemplateSpec;
  /** How pods are replaced when the template changes. */
  readonly updateStrategy?: DaemonSetUpdateStrategy;
  /** How long a pod must have been ready to count as available. */
  readonly minReadySeconds?: number;
  /** How many old revisions are kept for going back. */
  readonly revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  /** How many of them do. */
  readonly currentNumberScheduled: number;
  /** How many nodes run it that should not. */
  readonly numberMisscheduled: number;
  /** How many nodes should run the pod. */
  readonly desiredNumberScheduled: number;
  /** How many pods are ready. */
  readonly numberReady: number;
  readonly observedGeneration?: number;
  /** How many are of the newest template. */
  readonly updatedNumberScheduled?: number;
  /** How many have been ready for long enough. */
  readonly numberAvailable?: number;
  /** How many are missing. */
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  readonly type?: DaemonSetUpdateStrategyType;
  readonly rollingUpdate?: RollingUpdateDaemonSet;
}

/** Keeps a number of equal pods running, and replaces them step by step when their template changes. */
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
  /** How many pods are wanted. */
  readonly replicas?: number;
  /** Which pods belong to this. Must match the template's labels. Cannot be changed. */
  readonly selector: LabelSelector;
  /** The template of the pods. */
  readonly template: PodTemplateSpec;
  /** How old pods are replaced by new ones. */
  readonly strategy?: DeploymentStrategy;
  /** How long a pod must have been ready to count as available. */
  readonly minReadySeconds?: number;
  /** How many old revisions are kept for going back. */
  readonly revisionHistoryLimit?: number;
  /** Changes of the template wait. */
  readonly paused?: boolean;
  /** After how long without progress a rollout counts as failed. */
  readonly progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  /** How many pods there are. */
  readonly replicas?: number;
  /** How many are of the newest template. */
  readonly updatedReplicas?: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
  /** How many are missing to what is wanted. */
  readonly unavailableReplicas?: number;
  /** How many are being deleted. */
  readonly terminatingReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
  /** How often a name was taken already; makes the next one different. */
  readonly collisionCount?: number;
}

export interface DeploymentStrategy {
  /** RollingUpdate, or Recreate: all old ones go before new ones come. */
  readonly type?: DeploymentStrategyType;
  /** How many may be missing and how many too many meanwhile. */
  readonly rollingUpdate?: RollingUpdateDeployment;
}

/** Keeps a number of equal pods running. Usually made by a deployment. */
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
  /** How many pods are wanted. */
  readonly replicas?: number;
  /** How long a pod must have been ready to count as available. */
  readonly minReadySeconds?: number;
  /** Which pods belong to this. Must match the template's labels. Cannot be changed. */
  readonly selector: LabelSelector;
  /** The template of the pods. */
  readonly template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  /** How many pods there are. */
  readonly replicas: number;
  /** How many have all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
  /** How many are being deleted. */
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  readonly maxUnavailable?: IntOrString;
  readonly maxSurge?: IntOrString;
}

export interface RollingUpdateDeployment {
  /** How many pods may be missing, as a number or percentage. */
  readonly maxUnavailable?: IntOrString;
  /** How many pods there may be above what is wanted, as a number or percentage. */
  readonly maxSurge?: IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number;
  readonly maxUnavailable?: IntOrString;
}

/** Keeps pods that are not equal: each has a name, an order and volumes of its own. */
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
  /** How many pods are wanted. */
  readonly replicas?: number;
  /** Which pods belong to this. Must match the template's labels. Cannot be changed. */
  readonly selector: LabelSelector;
  /** The template of the pods. */
  readonly template: PodTemplateSpec;
  /** Claims that each pod gets for itself. */
  readonly volumeClaimTemplates?: readonly Draft<PersistentVolumeClaim>[];
  /** The service that gives the pods their network names. */
  readonly serviceName?: string;
  /** One after another (OrderedReady), or all at once (Parallel). */
  readonly podManagementPolicy?: PodManagementPolicyType;
  /** How pods are replaced when the template changes. */
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  /** How many old revisions are kept for going back. */
  readonly revisionHistoryLimit?: number;
  /** How long a pod must have been ready to count as available. */
  readonly minReadySeconds?: number;
  /** The fate of the claims when pods go. */
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /** With which number the pods' names begin. */
  readonly ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  /** How many pods there are. */
  readonly replicas: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many are of the current revision. */
  readonly currentReplicas?: number;
  /** How many are of the newest template. */
  readonly updatedReplicas?: number;
  /** The revision that the current pods are of. */
  readonly currentRevision?: string;
  /** The revision that pods are brought to. */
  readonly updateRevision?: string;
  /** How often a name was taken already; makes the next one different. */
  readonly collisionCount?: number;
  readonly conditions?: readonly StatefulSetCondition[];
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  readonly type?: StatefulSetUpdateStrategyType;
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
