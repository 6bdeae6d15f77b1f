/** Makes the elector of a manager: its Lease in the manager's own cluster, its changes told as events. */
import type { Lease } from "../../api/index.js";
import type { Clock, Logger, MetricsRegistry, Random } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { EventBroadcaster } from "../../controller/index.js";
import { LeaderElector, type LeaderElectorOptions, type LeaderTerm } from "./elector.js";
import { leaseClient } from "./lease.js";

/** The options of leader election that users give. */
export type ElectionOptions = Omit<
  LeaderElectorOptions,
  "leases" | "callbacks" | "onEvent" | "clock" | "random" | "log" | "metrics"
>;

export interface ElectorHost {
  readonly client: Client;
  readonly events: EventBroadcaster;
  readonly onStartedLeading: (term: LeaderTerm) => Promise<void>;
  readonly onLease: (lease: Lease) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

export function electorOf(options: ElectionOptions, host: ElectorHost): LeaderElector {
  const { client, events, onStartedLeading, onLease, ...shared } = host;
  return new LeaderElector({
    ...options,
    ...shared,
    leases: leaseClient(client, options.lease),
    callbacks: { onStartedLeading, onLease },
    onEvent: (lease, message) =>
      events.newRecorder({ component: lease.metadata.name }).normal(lease, "LeaderElection", message),
  });
}
