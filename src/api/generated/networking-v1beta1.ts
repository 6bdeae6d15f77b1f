// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Condition } from "./meta-v1.js";

export interface IPAddress {
  readonly apiVersion: "networking.k8s.io/v1beta1";
  readonly kind: "IPAddress";
  readonly metadata: ObjectMeta;
  readonly spec: IPAddressSpec;
}
export const IPAddress: ResourceType<IPAddress> = /* @__PURE__ */ defineResource<IPAddress>({ group: "networking.k8s.io", version: "v1beta1", kind: "IPAddress", plural: "ipaddresses", scope: "Cluster", shortNames: ["ip"] });

export interface IPAddressSpec {
  readonly parentRef: ParentReference;
}

export interface ParentReference {
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ServiceCIDR {
  readonly apiVersion: "networking.k8s.io/v1beta1";
  readonly kind: "ServiceCIDR";
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
}
export const ServiceCIDR: ResourceType<ServiceCIDR> = /* @__PURE__ */ defineResource<ServiceCIDR>({ group: "networking.k8s.io", version: "v1beta1", kind: "ServiceCIDR", plural: "servicecidrs", scope: "Cluster", subresources: ["status"] });

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[];
}
