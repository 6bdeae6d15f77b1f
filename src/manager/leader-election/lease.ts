/** The Lease of an election, and the requests that the election needs from a client. */
import { LeaseCandidate } from "../../api/generated/coordination-v1beta1.js";
import { Lease } from "../../api/index.js";
import type { Client } from "../../client/index.js";

export type LeaseSpec = NonNullable<Lease["spec"]>;

/** Reads and writes one Lease. `update` must fail with a conflict if the resourceVersion is not the current one. */
export interface LeaseClient {
  get(signal: AbortSignal): Promise<Lease>;
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /** The candidates in the Lease's namespace; a coordinated election needs them. */
  readonly candidates?: CandidateClient;
}

/**
 * Reads and writes LeaseCandidates. `get` gives undefined for a missing one; `update` must fail with a conflict if the
 * resourceVersion is not the current one.
 */
export interface CandidateClient {
  get(name: string, signal: AbortSignal): Promise<LeaseCandidate | undefined>;
  create(candidate: LeaseCandidate, signal: AbortSignal): Promise<LeaseCandidate>;
  update(candidate: LeaseCandidate, signal: AbortSignal): Promise<LeaseCandidate>;
  delete(name: string, signal: AbortSignal): Promise<void>;
}

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** The Lease of this name through an ordinary client. The client must not be fenced, because the fence depends on the lease. */
export function leaseClient(client: Pick<Client, "resource">, { namespace, name }: LeaseName): LeaseClient {
  const leases = client.resource(Lease, { namespace });
  const candidates = client.resource(LeaseCandidate, { namespace });
  return {
    get: (signal) => leases.get(name, { signal }),
    create: (lease, signal) => leases.create(lease, { signal }),
    update: (lease, signal) => leases.update(lease, { signal }),
    candidates: {
      get: (candidate, signal) => candidates.getOrUndefined(candidate, { signal }),
      create: (candidate, signal) => candidates.create(candidate, { signal }),
      update: (candidate, signal) => candidates.update(candidate, { signal }),
      delete: async (candidate, signal) => void (await candidates.delete(candidate, { signal })),
    },
  };
}

export function newLease(metadata: Lease["metadata"], spec: LeaseSpec): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}
