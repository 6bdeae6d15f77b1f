// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { DraftMeta, ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { QuantityText, Time } from "../scalars.js";
import type { NodeSelector } from "./core-v1.js";
import type { Condition } from "./meta-v1.js";

export type AllocationConfigSource = "FromClaim" | "FromClass";

export type DeviceAllocationMode = "All" | "ExactCount";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export type DeviceTolerationOperator = "Equal" | "Exists";

export interface AllocatedDeviceStatus {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
  readonly conditions?: readonly Condition[];
  readonly data?: Readonly<Record<string, unknown>>;
  readonly networkData?: NetworkDeviceData;
}

export interface AllocationResult {
  readonly devices?: DeviceAllocationResult;
  readonly nodeSelector?: NodeSelector;
  readonly allocationTimestamp?: Time;
}

export interface CELDeviceSelector {
  readonly expression: string;
}

export interface CapacityRequestPolicy {
  readonly default?: QuantityText;
  readonly validValues?: readonly QuantityText[];
  readonly validRange?: CapacityRequestPolicyRange;
}

export interface CapacityRequestPolicyRange {
  readonly min: QuantityText;
  readonly max?: QuantityText;
  readonly step?: QuantityText;
}

export interface CapacityRequirements {
  readonly requests?: Readonly<Record<string, QuantityText>>;
}

export interface Counter {
  readonly value: QuantityText;
}

export interface CounterSet {
  readonly name: string;
  readonly counters: Readonly<Record<string, Counter>>;
}

export interface Device {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>;
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly taints?: readonly DeviceTaint[];
  readonly bindsToNode?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: boolean;
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>;
}

export interface DeviceAllocationConfiguration extends DeviceConfiguration {
  readonly source: AllocationConfigSource;
  readonly requests?: readonly string[];
}

export interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[];
  readonly config?: readonly DeviceAllocationConfiguration[];
}

export interface DeviceAttribute {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly number[];
  readonly bools?: readonly boolean[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

export interface DeviceCapacity {
  readonly value: QuantityText;
  readonly requestPolicy?: CapacityRequestPolicy;
}

export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[];
  readonly constraints?: readonly DeviceConstraint[];
  readonly config?: readonly DeviceClaimConfiguration[];
}

export interface DeviceClaimConfiguration extends DeviceConfiguration {
  readonly requests?: readonly string[];
}

/** A sort of devices that can be claimed. */
export interface DeviceClass {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "DeviceClass";
  readonly metadata: ObjectMeta;
  readonly spec: DeviceClassSpec;
}
export const DeviceClass: ResourceType<DeviceClass> = /* @__PURE__ */ defineResource<DeviceClass>({ group: "resource.k8s.io", version: "v1", kind: "DeviceClass", plural: "deviceclasses", scope: "Cluster" });

export interface DeviceClassConfiguration extends DeviceConfiguration {
}

export interface DeviceClassSpec {
  readonly selectors?: readonly DeviceSelector[];
  readonly config?: readonly DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
}

export interface DeviceConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

export interface DeviceCounterConsumption {
  readonly counterSet: string;
  readonly counters: Readonly<Record<string, Counter>>;
}

export interface DeviceRequest {
  readonly name: string;
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly DeviceSubRequest[];
}

export interface DeviceRequestAllocationResult {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: Readonly<Record<string, QuantityText>>;
}

export interface DeviceSelector {
  readonly cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  readonly name: string;
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: DeviceAllocationMode;
  readonly count?: number;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: CapacityRequirements;
}

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: DeviceTaintEffect;
  readonly timeAdded?: Time;
}

export interface DeviceToleration {
  readonly key?: string;
  readonly operator?: DeviceTolerationOperator;
  readonly value?: string;
  readonly effect?: DeviceTaintEffect;
  readonly tolerationSeconds?: number;
}

export interface ExactDeviceRequest {
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: DeviceAllocationMode;
  readonly count?: number;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: CapacityRequirements;
}

export interface NetworkDeviceData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

export interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string;
  readonly allocationMultiplier?: QuantityText;
}

export interface OpaqueDeviceConfiguration {
  readonly driver: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Asks for devices, and is given some. */
export interface ResourceClaim {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "ResourceClaim";
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
}
export const ResourceClaim: ResourceType<ResourceClaim> = /* @__PURE__ */ defineResource<ResourceClaim>({ group: "resource.k8s.io", version: "v1", kind: "ResourceClaim", plural: "resourceclaims", scope: "Namespaced", subresources: ["status"] });

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  readonly devices?: readonly AllocatedDeviceStatus[];
}

/** The template of claims that are made for pods. */
export interface ResourceClaimTemplate {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "ResourceClaimTemplate";
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimTemplateSpec;
}
export const ResourceClaimTemplate: ResourceType<ResourceClaimTemplate> = /* @__PURE__ */ defineResource<ResourceClaimTemplate>({ group: "resource.k8s.io", version: "v1", kind: "ResourceClaimTemplate", plural: "resourceclaimtemplates", scope: "Namespaced" });

export interface ResourceClaimTemplateSpec {
  readonly metadata?: DraftMeta;
  readonly spec: ResourceClaimSpec;
}

export interface ResourcePool {
  readonly name: string;
  readonly generation: number;
  readonly resourceSliceCount: number;
}

/** Some of the devices that a driver offers. */
export interface ResourceSlice {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "ResourceSlice";
  readonly metadata: ObjectMeta;
  readonly spec: ResourceSliceSpec;
}
export const ResourceSlice: ResourceType<ResourceSlice> = /* @__PURE__ */ defineResource<ResourceSlice>({ group: "resource.k8s.io", version: "v1", kind: "ResourceSlice", plural: "resourceslices", scope: "Cluster" });

export interface ResourceSliceSpec {
  readonly driver: string;
  readonly pool: ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
  readonly perDeviceNodeSelection?: boolean;
  readonly sharedCounters?: readonly CounterSet[];
}
