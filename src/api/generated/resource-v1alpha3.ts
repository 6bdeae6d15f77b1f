// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";
import type { Condition } from "./meta-v1.js";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: DeviceTaintEffect;
  readonly timeAdded?: Time;
}

export interface DeviceTaintRule {
  readonly apiVersion: "resource.k8s.io/v1alpha3";
  readonly kind: "DeviceTaintRule";
  readonly metadata: ObjectMeta;
  readonly spec: DeviceTaintRuleSpec;
  readonly status?: DeviceTaintRuleStatus;
}
export const DeviceTaintRule: ResourceType<DeviceTaintRule> = /* @__PURE__ */ defineResource<DeviceTaintRule>({ group: "resource.k8s.io", version: "v1alpha3", kind: "DeviceTaintRule", plural: "devicetaintrules", scope: "Cluster", subresources: ["status"] });

export interface DeviceTaintRuleSpec {
  readonly deviceSelector?: DeviceTaintSelector;
  readonly taint: DeviceTaint;
}

export interface DeviceTaintRuleStatus {
  readonly conditions?: readonly Condition[];
}

export interface DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface PoolStatus {
  readonly driver: string;
  readonly poolName: string;
  readonly generation: number;
  readonly resourceSliceCount?: number;
  readonly totalDevices?: number;
  readonly allocatedDevices?: number;
  readonly availableDevices?: number;
  readonly unavailableDevices?: number;
  readonly nodeName?: string;
  readonly validationError?: string;
}

export interface ResourcePoolStatusRequest {
  readonly apiVersion: "resource.k8s.io/v1alpha3";
  readonly kind: "ResourcePoolStatusRequest";
  readonly metadata: ObjectMeta;
  readonly spec: ResourcePoolStatusRequestSpec;
  readonly status?: ResourcePoolStatusRequestStatus;
}
export const ResourcePoolStatusRequest: ResourceType<ResourcePoolStatusRequest> = /* @__PURE__ */ defineResource<ResourcePoolStatusRequest>({ group: "resource.k8s.io", version: "v1alpha3", kind: "ResourcePoolStatusRequest", plural: "resourcepoolstatusrequests", scope: "Cluster", subresources: ["status"] });

export interface ResourcePoolStatusRequestSpec {
  readonly driver: string;
  readonly poolName?: string;
  readonly limit?: number;
}

export interface ResourcePoolStatusRequestStatus {
  readonly poolCount: number;
  readonly pools?: readonly PoolStatus[];
  readonly conditions?: readonly Condition[];
}
