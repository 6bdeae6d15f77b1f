// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { DraftMeta, ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";
import type { ObjectReference, PodTemplateSpec } from "./core-v1.js";
import type { LabelSelector } from "./meta-v1.js";

export type CompletionMode = "Indexed" | "NonIndexed";

export type ConcurrencyPolicy = "Allow" | "Forbid" | "Replace";

export type JobConditionType = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended" | (string & {});

export type PodFailurePolicyAction = "Count" | "FailIndex" | "FailJob" | "Ignore";

export type PodFailurePolicyOnExitCodesOperator = "In" | "NotIn";

export type PodReplacementPolicy = "Failed" | "TerminatingOrFailed";

type ConditionStatus = "False" | "True" | "Unknown";

type PodConditionType = "AllContainersRestarting" | "ContainersReady" | "DisruptionTarget" | "Initialized" | "PodReadyToStartContainers" | "PodResizeInProgress" | "PodResizePending" | "PodScheduled" | "Ready" | (string & {});

export interface CronJob {
  readonly apiVersion: "batch/v1";
  readonly kind: "CronJob";
  readonly metadata: ObjectMeta;
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}
export const CronJob: ResourceType<CronJob> = /* @__PURE__ */ defineResource<CronJob>({ group: "batch", version: "v1", kind: "CronJob", plural: "cronjobs", scope: "Namespaced", shortNames: ["cj"], categories: ["all"], subresources: ["status"] });

export interface CronJobSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  readonly suspend?: boolean;
  readonly jobTemplate: JobTemplateSpec;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: Time;
  readonly lastSuccessfulTime?: Time;
}

export interface Job {
  readonly apiVersion: "batch/v1";
  readonly kind: "Job";
  readonly metadata: ObjectMeta;
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}
export const Job: ResourceType<Job> = /* @__PURE__ */ defineResource<Job>({ group: "batch", version: "v1", kind: "Job", plural: "jobs", scope: "Namespaced", categories: ["all"], subresources: ["status"] });

export interface JobCondition {
  readonly type: JobConditionType;
  readonly status: ConditionStatus;
  readonly lastProbeTime?: Time;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
  readonly completionMode?: CompletionMode;
  readonly suspend?: boolean;
  readonly podReplacementPolicy?: PodReplacementPolicy;
  readonly managedBy?: string;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: Time;
  readonly completionTime?: Time;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  readonly ready?: number;
}

export interface JobTemplateSpec {
  readonly metadata?: DraftMeta;
  readonly spec?: JobSpec;
}

export interface PodFailurePolicy {
  readonly rules: readonly PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  readonly operator: PodFailurePolicyOnExitCodesOperator;
  readonly values: readonly number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  readonly type: PodConditionType;
  readonly status?: ConditionStatus;
}

export interface PodFailurePolicyRule {
  readonly action: PodFailurePolicyAction;
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  readonly rules: readonly SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}
