// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { MicroTime } from "../scalars.js";

export type CoordinatedLeaseStrategy = "OldestEmulationVersion" | (string & {});

export interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: ObjectMeta;
  readonly spec?: LeaseSpec;
}
export const Lease: ResourceType<Lease> = /* @__PURE__ */ defineResource<Lease>({ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", scope: "Namespaced" });

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: MicroTime;
  readonly renewTime?: MicroTime;
  readonly leaseTransitions?: number;
  readonly strategy?: CoordinatedLeaseStrategy;
  readonly preferredHolder?: string;
}
