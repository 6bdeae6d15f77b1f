/** The Lease as the election sees it, and the little that the election asks of a client. */
import { Lease } from "../../api/index.js";
import type { Client } from "../../client/index.js";

export type LeaseSpec = NonNullable<Lease["spec"]>;

/** Reads and writes one Lease. `update` must fail with a conflict if the resourceVersion is not the current one. */
export interface LeaseClient {
  get(signal: AbortSignal): Promise<Lease>;
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
}

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** The Lease of this name through an ordinary client. It must not be a fenced one: the lease is what fences. */
export function leaseClient(client: Pick<Client, "resource">, { namespace, name }: LeaseName): LeaseClient {
  const leases = client.resource(Lease, { namespace });
  return {
    get: (signal) => leases.get(name, { signal }),
    create: (lease, signal) => leases.create(lease, { signal }),
    update: (lease, signal) => leases.update(lease, { signal }),
  };
}

export function newLease(metadata: Lease["metadata"], spec: LeaseSpec): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}
