// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";

export type APIServiceConditionType = "Available" | (string & {});

export type ConditionStatus = "False" | "True" | "Unknown";

/** The server that answers for a group and version of the API: this one, or a service behind it. */
export interface APIService {
  readonly apiVersion: "apiregistration.k8s.io/v1";
  readonly kind: "APIService";
  readonly metadata: ObjectMeta;
  readonly spec?: APIServiceSpec;
  readonly status?: APIServiceStatus;
}
export const APIService: ResourceType<APIService> = /* @__PURE__ */ defineResource<APIService>({ group: "apiregistration.k8s.io", version: "v1", kind: "APIService", plural: "apiservices", scope: "Cluster", categories: ["api-extensions"], subresources: ["status"] });

export interface APIServiceCondition {
  readonly type: APIServiceConditionType;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface APIServiceSpec {
  readonly service?: ServiceReference;
  readonly group?: string;
  readonly version?: string;
  readonly insecureSkipTLSVerify?: boolean;
  readonly caBundle?: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export interface APIServiceStatus {
  readonly conditions?: readonly APIServiceCondition[];
}

export interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
}
