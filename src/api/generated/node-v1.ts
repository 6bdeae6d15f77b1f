// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { QuantityText } from "../scalars.js";
import type { Toleration } from "./core-v1.js";

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, QuantityText>>;
}

/** A container runtime, under a name. */
export interface RuntimeClass {
  readonly apiVersion: "node.k8s.io/v1";
  readonly kind: "RuntimeClass";
  readonly metadata: ObjectMeta;
  /** How nodes call it. */
  readonly handler: string;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}
export const RuntimeClass: ResourceType<RuntimeClass> = /* @__PURE__ */ defineResource<RuntimeClass>({ group: "node.k8s.io", version: "v1", kind: "RuntimeClass", plural: "runtimeclasses", scope: "Cluster" });

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
