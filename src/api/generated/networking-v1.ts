// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { IntOrString } from "../scalars.js";
import type { TypedLocalObjectReference } from "./core-v1.js";
import type { Condition, LabelSelector } from "./meta-v1.js";

type Protocol = "SCTP" | "TCP" | "UDP";

export type PathType = "Exact" | "ImplementationSpecific" | "Prefix";

export type PolicyType = "Egress" | "Ingress";

export interface HTTPIngressPath {
  readonly path?: string;
  readonly pathType: PathType;
  readonly backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  readonly paths: readonly HTTPIngressPath[];
}

/** An address that is in use, and by whom. */
export interface IPAddress {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "IPAddress";
  readonly metadata: ObjectMeta;
  readonly spec: IPAddressSpec;
}
export const IPAddress: ResourceType<IPAddress> = /* @__PURE__ */ defineResource<IPAddress>({ group: "networking.k8s.io", version: "v1", kind: "IPAddress", plural: "ipaddresses", scope: "Cluster", shortNames: ["ip"] });

export interface IPAddressSpec {
  readonly parentRef: ParentReference;
}

export interface IPBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

/** How requests from outside, by host and path, reach services. */
export interface Ingress {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "Ingress";
  readonly metadata: ObjectMeta;
  readonly spec?: IngressSpec;
  readonly status?: IngressStatus;
}
export const Ingress: ResourceType<Ingress> = /* @__PURE__ */ defineResource<Ingress>({ group: "networking.k8s.io", version: "v1", kind: "Ingress", plural: "ingresses", scope: "Namespaced", shortNames: ["ing"], subresources: ["status"] });

export interface IngressBackend {
  readonly service?: IngressServiceBackend;
  readonly resource?: TypedLocalObjectReference;
}

/** A way of serving ingresses, under a name. */
export interface IngressClass {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "IngressClass";
  readonly metadata: ObjectMeta;
  readonly spec?: IngressClassSpec;
}
export const IngressClass: ResourceType<IngressClass> = /* @__PURE__ */ defineResource<IngressClass>({ group: "networking.k8s.io", version: "v1", kind: "IngressClass", plural: "ingressclasses", scope: "Cluster" });

export interface IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly scope?: string;
  readonly namespace?: string;
}

export interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
}

export interface IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  readonly port: number;
  readonly protocol: Protocol;
  readonly error?: string;
}

export interface IngressRule extends IngressRuleValue {
  readonly host?: string;
}

export interface IngressRuleValue {
  readonly http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  readonly name: string;
  readonly port?: ServiceBackendPort;
}

export interface IngressSpec {
  /** The class of the controller that serves it. */
  readonly ingressClassName?: string;
  /** Where everything else leads. */
  readonly defaultBackend?: IngressBackend;
  /** Certificates for hosts. */
  readonly tls?: readonly IngressTLS[];
  /** Hosts and paths, and where they lead. */
  readonly rules?: readonly IngressRule[];
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

/** The peers that may talk to some pods, and the peers that these may talk to. */
export interface NetworkPolicy {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "NetworkPolicy";
  readonly metadata: ObjectMeta;
  readonly spec?: NetworkPolicySpec;
}
export const NetworkPolicy: ResourceType<NetworkPolicy> = /* @__PURE__ */ defineResource<NetworkPolicy>({ group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy", plural: "networkpolicies", scope: "Namespaced", shortNames: ["netpol"] });

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly from?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  readonly protocol?: Protocol;
  readonly port?: IntOrString;
  readonly endPort?: number;
}

export interface NetworkPolicySpec {
  /** The pods that it is about; all of the namespace if empty. */
  readonly podSelector?: LabelSelector;
  /** The peers that may talk to them. Everything else is closed. */
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  /** To whom they may talk. Everything else is closed. */
  readonly egress?: readonly NetworkPolicyEgressRule[];
  /** Whether it is about Ingress, Egress or both. */
  readonly policyTypes?: readonly PolicyType[];
}

export interface ParentReference {
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}

/** Addresses that services may get. */
export interface ServiceCIDR {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "ServiceCIDR";
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
}
export const ServiceCIDR: ResourceType<ServiceCIDR> = /* @__PURE__ */ defineResource<ServiceCIDR>({ group: "networking.k8s.io", version: "v1", kind: "ServiceCIDR", plural: "servicecidrs", scope: "Cluster", subresources: ["status"] });

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[];
}
