/** The options of the manager of a fleet's cluster, made from those of the manager that has the fleet. */
import { defined } from "../../base/defined.js";
import type { Clock, Logger, MetricsRegistry } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { accessOf } from "../access.js";
import type { TermSource } from "../leader-election/index.js";
import type { ManagerOptions } from "../options.js";

/** A cluster of a fleet must stop within this part of the manager's own time. */
const memberStop = 0.8;

export interface FleetMemberOptions {
  readonly name: string;
  readonly client: Client;
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  /** The lease of the manager that has the fleet: the cluster is written to only while it holds. */
  readonly leader: TermSource | undefined;
}

export function memberOptions(options: ManagerOptions, member: FleetMemberOptions): ManagerOptions {
  const { name, client, metrics, clock, leader } = member;
  const { namespaces, resyncPeriodMs, transform, freeze, random, events, stopTimeoutMs = 30_000 } = options;
  const log = member.log.child({ cluster: name });
  return {
    client: accessOf(client, { leader, clock, log }),
    clock,
    log,
    metrics,
    stopTimeoutMs: stopTimeoutMs * memberStop,
    ...defined({ namespaces, resyncPeriodMs, transform, freeze, random, events }),
  };
}
