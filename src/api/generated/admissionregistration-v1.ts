// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Condition, LabelSelector } from "./meta-v1.js";

export type FailurePolicyType = "Fail" | "Ignore";

export type MatchPolicyType = "Equivalent" | "Exact";

export type OperationType = "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

export type ParameterNotFoundActionType = "Allow" | "Deny" | (string & {});

export type PatchType = "ApplyConfiguration" | "JSONPatch";

export type ReinvocationPolicyType = "IfNeeded" | "Never";

export type ScopeType = "*" | "Cluster" | "Namespaced";

export type SideEffectClass = "None" | "NoneOnDryRun" | "Some" | "Unknown";

export type ValidationAction = "Audit" | "Deny" | "Warn";

type StatusReason = "" | "AlreadyExists" | "BadRequest" | "Conflict" | "Expired" | "Forbidden" | "Gone" | "InternalError" | "Invalid" | "MethodNotAllowed" | "NotAcceptable" | "NotFound" | "RequestEntityTooLarge" | "ServerTimeout" | "ServiceUnavailable" | "StorageReadError" | "Timeout" | "TooManyRequests" | "Unauthorized" | "UnsupportedMediaType" | (string & {});

export interface ApplyConfiguration {
  readonly expression?: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
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

/** Changes in CEL that are made to objects before they are stored. */
export interface MutatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingAdmissionPolicy";
  readonly metadata: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicySpec;
}
export const MutatingAdmissionPolicy: ResourceType<MutatingAdmissionPolicy> = /* @__PURE__ */ defineResource<MutatingAdmissionPolicy>({ group: "admissionregistration.k8s.io", version: "v1", kind: "MutatingAdmissionPolicy", plural: "mutatingadmissionpolicies", scope: "Cluster", categories: ["api-extensions"] });

/** Where a policy that changes objects holds, and with which parameters. */
export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingAdmissionPolicyBinding";
  readonly metadata: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicyBindingSpec;
}
export const MutatingAdmissionPolicyBinding: ResourceType<MutatingAdmissionPolicyBinding> = /* @__PURE__ */ defineResource<MutatingAdmissionPolicyBinding>({ group: "admissionregistration.k8s.io", version: "v1", kind: "MutatingAdmissionPolicyBinding", plural: "mutatingadmissionpolicybindings", scope: "Cluster", categories: ["api-extensions"] });

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

export interface MutatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: FailurePolicyType;
  readonly matchPolicy?: MatchPolicyType;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: SideEffectClass;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: ReinvocationPolicyType;
  readonly matchConditions?: readonly MatchCondition[];
}

/** Web hooks that may change objects before they are stored. */
export interface MutatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingWebhookConfiguration";
  readonly metadata: ObjectMeta;
  /** The hooks, with what they want to see. */
  readonly webhooks?: readonly MutatingWebhook[];
}
export const MutatingWebhookConfiguration: ResourceType<MutatingWebhookConfiguration> = /* @__PURE__ */ defineResource<MutatingWebhookConfiguration>({ group: "admissionregistration.k8s.io", version: "v1", kind: "MutatingWebhookConfiguration", plural: "mutatingwebhookconfigurations", scope: "Cluster", categories: ["api-extensions"] });

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

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: ScopeType;
}

export interface RuleWithOperations extends Rule {
  readonly operations?: readonly OperationType[];
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

/** Rules in CEL that may refuse objects before they are stored. */
export interface ValidatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingAdmissionPolicy";
  readonly metadata: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicySpec;
  readonly status?: ValidatingAdmissionPolicyStatus;
}
export const ValidatingAdmissionPolicy: ResourceType<ValidatingAdmissionPolicy> = /* @__PURE__ */ defineResource<ValidatingAdmissionPolicy>({ group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingAdmissionPolicy", plural: "validatingadmissionpolicies", scope: "Cluster", categories: ["api-extensions"], subresources: ["status"] });

/** Where a policy holds, with which parameters, and what a violation leads to. */
export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingAdmissionPolicyBinding";
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}
export const ValidatingAdmissionPolicyBinding: ResourceType<ValidatingAdmissionPolicyBinding> = /* @__PURE__ */ defineResource<ValidatingAdmissionPolicyBinding>({ group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingAdmissionPolicyBinding", plural: "validatingadmissionpolicybindings", scope: "Cluster", categories: ["api-extensions"] });

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions: readonly ValidationAction[];
}

export interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly validations?: readonly Validation[];
  readonly failurePolicy?: FailurePolicyType;
  readonly auditAnnotations?: readonly AuditAnnotation[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeChecking;
  readonly conditions?: readonly Condition[];
}

export interface ValidatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: FailurePolicyType;
  readonly matchPolicy?: MatchPolicyType;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: SideEffectClass;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
}

/** Web hooks that may refuse objects before they are stored. */
export interface ValidatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingWebhookConfiguration";
  readonly metadata: ObjectMeta;
  /** The hooks, with what they want to see. */
  readonly webhooks?: readonly ValidatingWebhook[];
}
export const ValidatingWebhookConfiguration: ResourceType<ValidatingWebhookConfiguration> = /* @__PURE__ */ defineResource<ValidatingWebhookConfiguration>({ group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingWebhookConfiguration", plural: "validatingwebhookconfigurations", scope: "Cluster", categories: ["api-extensions"] });

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly messageExpression?: string;
}

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  readonly caBundle?: string;
}
