// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { FieldSelectorRequirement, LabelSelectorRequirement } from "./meta-v1.js";

export interface FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly LabelSelectorRequirement[];
}

/** Asks whether somebody may do something in one namespace. */
export interface LocalSubjectAccessReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "LocalSubjectAccessReview";
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}
export const LocalSubjectAccessReview: ResourceType<LocalSubjectAccessReview> = /* @__PURE__ */ defineResource<LocalSubjectAccessReview>({ group: "authorization.k8s.io", version: "v1", kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews", scope: "Namespaced" });

export interface NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Asks whether the asker may do something. */
export interface SelfSubjectAccessReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "SelfSubjectAccessReview";
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}
export const SelfSubjectAccessReview: ResourceType<SelfSubjectAccessReview> = /* @__PURE__ */ defineResource<SelfSubjectAccessReview>({ group: "authorization.k8s.io", version: "v1", kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews", scope: "Cluster" });

export interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

/** Asks what the asker may do in a namespace. */
export interface SelfSubjectRulesReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "SelfSubjectRulesReview";
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectRulesReviewSpec;
  readonly status?: SubjectRulesReviewStatus;
}
export const SelfSubjectRulesReview: ResourceType<SelfSubjectRulesReview> = /* @__PURE__ */ defineResource<SelfSubjectRulesReview>({ group: "authorization.k8s.io", version: "v1", kind: "SelfSubjectRulesReview", plural: "selfsubjectrulesreviews", scope: "Cluster" });

export interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

/** Asks whether somebody may do something. */
export interface SubjectAccessReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "SubjectAccessReview";
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}
export const SubjectAccessReview: ResourceType<SubjectAccessReview> = /* @__PURE__ */ defineResource<SubjectAccessReview>({ group: "authorization.k8s.io", version: "v1", kind: "SubjectAccessReview", plural: "subjectaccessreviews", scope: "Cluster" });

export interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

export interface SubjectAccessReviewStatus {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

export interface SubjectRulesReviewStatus {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}
