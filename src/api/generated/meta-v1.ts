// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import type { Time } from "../scalars.js";

export type ConditionStatus = "False" | "True" | "Unknown";

export type DeletionPropagation = "Background" | "Foreground" | "Orphan";

export type FieldSelectorOperator = "DoesNotExist" | "Exists" | "In" | "NotIn" | (string & {});

export type LabelSelectorOperator = "DoesNotExist" | "Exists" | "In" | "NotIn";

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: Time;
  readonly reason: string;
  readonly message: string;
}

export interface DeleteOptions {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: DeletionPropagation;
  readonly dryRun?: readonly string[];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: FieldSelectorOperator;
  readonly values?: readonly string[];
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: LabelSelectorOperator;
  readonly values?: readonly string[];
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}
