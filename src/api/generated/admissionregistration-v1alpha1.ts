// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { RuleWithOperations } from "./admissionregistration-v1.js";
import type { LabelSelector } from "./meta-v1.js";

type ReinvocationPolicyType = "IfNeeded" | "Never";

export type FailurePolicyType = "Fail" | "Ignore";

export type MatchPolicyType = "Equivalent" | "Exact";

export type ParameterNotFoundActionType = "Allow" | "Deny";

export type PatchType = "ApplyConfiguration" | "JSONPatch";

export interface ApplyConfiguration {
  readonly expression?: string;
}

export interface JSONPatch {
  readonly expression?: string;
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface MatchResources {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  readonly matchPolicy?: MatchPolicyType;
}

export interface MutatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1alpha1";
  readonly kind: "MutatingAdmissionPolicy";
  readonly metadata: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicySpec;
}
export const MutatingAdmissionPolicy: ResourceType<MutatingAdmissionPolicy> = /* @__PURE__ */ defineResource<MutatingAdmissionPolicy>({ group: "admissionregistration.k8s.io", version: "v1alpha1", kind: "MutatingAdmissionPolicy", plural: "mutatingadmissionpolicies", scope: "Cluster", categories: ["api-extensions"] });

export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1alpha1";
  readonly kind: "MutatingAdmissionPolicyBinding";
  readonly metadata: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicyBindingSpec;
}
export const MutatingAdmissionPolicyBinding: ResourceType<MutatingAdmissionPolicyBinding> = /* @__PURE__ */ defineResource<MutatingAdmissionPolicyBinding>({ group: "admissionregistration.k8s.io", version: "v1alpha1", kind: "MutatingAdmissionPolicyBinding", plural: "mutatingadmissionpolicybindings", scope: "Cluster", categories: ["api-extensions"] });

export interface MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

export interface MutatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly variables?: readonly Variable[];
  readonly mutations?: readonly Mutation[];
  readonly failurePolicy?: FailurePolicyType;
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: ReinvocationPolicyType;
}

export interface Mutation {
  readonly patchType: PatchType;
  readonly applyConfiguration?: ApplyConfiguration;
  readonly jsonPatch?: JSONPatch;
}

export interface NamedRuleWithOperations extends RuleWithOperations {
  readonly resourceNames?: readonly string[];
}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: ParameterNotFoundActionType;
}

export interface Variable {
  readonly name: string;
  readonly expression: string;
}
