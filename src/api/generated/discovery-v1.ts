// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { ObjectReference } from "./core-v1.js";

type Protocol = "SCTP" | "TCP" | "UDP";

export type AddressType = "FQDN" | "IPv4" | "IPv6";

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forZones?: readonly ForZone[];
  readonly forNodes?: readonly ForNode[];
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: Protocol;
  readonly port?: number;
  readonly appProtocol?: string;
}

/** Some of the addresses behind a service. */
export interface EndpointSlice {
  readonly apiVersion: "discovery.k8s.io/v1";
  readonly kind: "EndpointSlice";
  readonly metadata: ObjectMeta;
  /** IPv4, IPv6 or FQDN. Cannot be changed. */
  readonly addressType: AddressType;
  /** The addresses, with what is known of each. */
  readonly endpoints?: readonly Endpoint[];
  /** The ports that all of them have. */
  readonly ports?: readonly EndpointPort[];
}
export const EndpointSlice: ResourceType<EndpointSlice> = /* @__PURE__ */ defineResource<EndpointSlice>({ group: "discovery.k8s.io", version: "v1", kind: "EndpointSlice", plural: "endpointslices", scope: "Namespaced" });

export interface ForNode {
  readonly name: string;
}

export interface ForZone {
  readonly name: string;
}
