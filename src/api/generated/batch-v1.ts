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

/** Makes a job again and again, by a schedule. */
export interface CronJob {
  readonly apiVersion: "batch/v1";
  readonly kind: "CronJob";
  readonly metadata: ObjectMeta;
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}
export const CronJob: ResourceType<CronJob> = /* @__PURE__ */ defineResource<CronJob>({ group: "batch", version: "v1", kind: "CronJob", plural: "cronjobs", scope: "Namespaced", shortNames: ["cj"], categories: ["all"], subresources: ["status"] });

export interface CronJobSpec {
  /** When, in the form of cron: minute, hour, day, month, weekday. */
  readonly schedule: string;
  /** The time zone of the schedule, by name. */
  readonly timeZone?: string;
  /** How late a job may start. */
  readonly startingDeadlineSeconds?: number;
  /** The policy while the last job still runs: Allow, Forbid or Replace. */
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  /** No new jobs while this is true. */
  readonly suspend?: boolean;
  /** The template of the jobs. */
  readonly jobTemplate: JobTemplateSpec;
  /** How many successful jobs are kept. */
  readonly successfulJobsHistoryLimit?: number;
  /** How many failed jobs are kept. */
  readonly failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  /** The jobs that run. */
  readonly active?: readonly ObjectReference[];
  /** When a job was last due. */
  readonly lastScheduleTime?: Time;
  /** When a job last succeeded. */
  readonly lastSuccessfulTime?: Time;
}

/** Runs pods until enough of them have succeeded. */
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
  /** How many pods may run at once. */
  readonly parallelism?: number;
  /** How many must succeed. */
  readonly completions?: number;
  /** How long the job may take. */
  readonly activeDeadlineSeconds?: number;
  /** Which failures count, and which end the job. */
  readonly podFailurePolicy?: PodFailurePolicy;
  /** When the job counts as successful before all are done. */
  readonly successPolicy?: SuccessPolicy;
  /** How many failures are too many. */
  readonly backoffLimit?: number;
  /** How many failures of one index are too many. */
  readonly backoffLimitPerIndex?: number;
  /** How many failed indices are too many. */
  readonly maxFailedIndexes?: number;
  /** Which pods belong to the job. Made by the server. */
  readonly selector?: LabelSelector;
  /** The selector was chosen by hand. Rarely wise. */
  readonly manualSelector?: boolean;
  /** The template of the pods. */
  readonly template: PodTemplateSpec;
  /** How long it is kept after its end. */
  readonly ttlSecondsAfterFinished?: number;
  /** NonIndexed: any will do. Indexed: one for each number. */
  readonly completionMode?: CompletionMode;
  /** No pods run while this is true. */
  readonly suspend?: boolean;
  /** Whether a pod is replaced as soon as it is ending, or when it has ended. */
  readonly podReplacementPolicy?: PodReplacementPolicy;
  readonly managedBy?: string;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  /** When the job was taken up. */
  readonly startTime?: Time;
  /** When it succeeded. */
  readonly completionTime?: Time;
  /** How many pods run. */
  readonly active?: number;
  /** How many pods have succeeded. */
  readonly succeeded?: number;
  /** How many pods have failed. */
  readonly failed?: number;
  /** How many pods are being deleted. */
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  /** How many pods are ready. */
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
