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

/** How to delete. */
export interface DeleteOptions {
  readonly apiVersion?: string;
  readonly kind?: string;
  /** How long the object may take to end; 0 means at once. */
  readonly gracePeriodSeconds?: number;
  /** Refuse unless the object still is the one that is meant. */
  readonly preconditions?: Preconditions;
  readonly orphanDependents?: boolean;
  /** The fate of dependents: Orphan, Background or Foreground. */
  readonly propagationPolicy?: DeletionPropagation;
  /** All: say what would happen, and do nothing. */
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

/** Selects objects by their labels. All requirements must hold; an empty selector matches everything. */
export interface LabelSelector {
  /** Labels that must have exactly these values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements about the presence and values of labels. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** One requirement about one label. */
export interface LabelSelectorRequirement {
  /** The label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: LabelSelectorOperator;
  /** The values for In and NotIn. */
  readonly values?: readonly string[];
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}
