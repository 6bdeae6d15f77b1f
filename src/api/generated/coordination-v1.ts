// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { MicroTime } from "../scalars.js";

export type CoordinatedLeaseStrategy = "OldestEmulationVersion" | (string & {});

/** Says who holds something for now, such as leadership or a node's heartbeat. */
export interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: ObjectMeta;
  readonly spec?: LeaseSpec;
}
export const Lease: ResourceType<Lease> = /* @__PURE__ */ defineResource<Lease>({ group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", scope: "Namespaced" });

export interface LeaseSpec {
  /** The identity of the holder. */
  readonly holderIdentity?: string;
  /** How long the lease holds after its last renewal. */
  readonly leaseDurationSeconds?: number;
  /** Since when the holder has it. */
  readonly acquireTime?: MicroTime;
  /** When the holder last renewed it. */
  readonly renewTime?: MicroTime;
  /** How often it has changed hands. */
  readonly leaseTransitions?: number;
  readonly strategy?: CoordinatedLeaseStrategy;
  readonly preferredHolder?: string;
}
