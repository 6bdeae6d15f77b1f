/** The Lease as the election sees it, and the little that the election asks of a client. */
import type { KubeObject, ObjectMeta } from "../../api/index.js";

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly strategy?: string;
  readonly preferredHolder?: string;
}

export interface ElectionLease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** Reads and writes one Lease. `update` must fail with a conflict if the resourceVersion is not the current one. */
export interface LeaseClient {
  get(options: { readonly signal: AbortSignal }): Promise<ElectionLease>;
  create(lease: ElectionLease, options: { readonly signal: AbortSignal }): Promise<ElectionLease>;
  update(lease: ElectionLease, options: { readonly signal: AbortSignal }): Promise<ElectionLease>;
}

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

export function newLease({ namespace, name }: LeaseName, spec: LeaseSpec): ElectionLease {
  const metadata: ObjectMeta = { namespace, name };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** What one replica writes and others watch for change. The rest of the object does not matter to the election. */
export function sameRecord(a: LeaseSpec | undefined, b: LeaseSpec | undefined): boolean {
  return (
    a?.holderIdentity === b?.holderIdentity &&
    a?.leaseDurationSeconds === b?.leaseDurationSeconds &&
    a?.acquireTime === b?.acquireTime &&
    a?.renewTime === b?.renewTime &&
    a?.leaseTransitions === b?.leaseTransitions &&
    a?.strategy === b?.strategy &&
    a?.preferredHolder === b?.preferredHolder
  );
}
