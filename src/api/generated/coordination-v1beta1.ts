// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { MicroTime } from "../scalars.js";

type CoordinatedLeaseStrategy = "OldestEmulationVersion" | (string & {});

export interface LeaseCandidate {
  readonly apiVersion: "coordination.k8s.io/v1beta1";
  readonly kind: "LeaseCandidate";
  readonly metadata: ObjectMeta;
  readonly spec: LeaseCandidateSpec;
}
export const LeaseCandidate: ResourceType<LeaseCandidate> = /* @__PURE__ */ defineResource<LeaseCandidate>({ group: "coordination.k8s.io", version: "v1beta1", kind: "LeaseCandidate", plural: "leasecandidates", scope: "Namespaced" });

export interface LeaseCandidateSpec {
  readonly leaseName: string;
  readonly pingTime?: MicroTime;
  readonly renewTime?: MicroTime;
  readonly binaryVersion: string;
  readonly emulationVersion?: string;
  readonly strategy: CoordinatedLeaseStrategy;
}
