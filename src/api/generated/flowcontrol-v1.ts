// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";

export type ConditionStatus = "False" | "True" | "Unknown";

export type FlowDistinguisherMethodType = "ByNamespace" | "ByUser" | (string & {});

export type LimitResponseType = "Queue" | "Reject" | (string & {});

export type PriorityLevelEnablement = "Exempt" | "Limited" | (string & {});

export type SubjectKind = "Group" | "ServiceAccount" | "User" | (string & {});

export interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

export interface FlowDistinguisherMethod {
  readonly type: FlowDistinguisherMethodType;
}

/** Sorts requests to the API into priority levels. */
export interface FlowSchema {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind: "FlowSchema";
  readonly metadata: ObjectMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
}
export const FlowSchema: ResourceType<FlowSchema> = /* @__PURE__ */ defineResource<FlowSchema>({ group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "FlowSchema", plural: "flowschemas", scope: "Cluster", subresources: ["status"] });

export interface FlowSchemaCondition {
  readonly type?: string;
  readonly status?: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  readonly conditions?: readonly FlowSchemaCondition[];
}

export interface GroupSubject {
  readonly name: string;
}

export interface LimitResponse {
  readonly type: LimitResponseType;
  readonly queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly limitResponse?: LimitResponse;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface PolicyRulesWithSubjects {
  readonly subjects: readonly Subject[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
}

/** How many requests of one level the API works on at once, and how others wait. */
export interface PriorityLevelConfiguration {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind: "PriorityLevelConfiguration";
  readonly metadata: ObjectMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
}
export const PriorityLevelConfiguration: ResourceType<PriorityLevelConfiguration> = /* @__PURE__ */ defineResource<PriorityLevelConfiguration>({ group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "PriorityLevelConfiguration", plural: "prioritylevelconfigurations", scope: "Cluster", subresources: ["status"] });

export interface PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface PriorityLevelConfigurationReference {
  readonly name: string;
}

export interface PriorityLevelConfigurationSpec {
  readonly type: PriorityLevelEnablement;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly exempt?: ExemptPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

export interface ResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

export interface ServiceAccountSubject {
  readonly namespace: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: SubjectKind;
  readonly user?: UserSubject;
  readonly group?: GroupSubject;
  readonly serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  readonly name: string;
}
