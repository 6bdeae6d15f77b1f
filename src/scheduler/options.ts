/** The settings of a scheduler. */
import type { Clock, Logger, MetricsRegistry, Random } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { SharedInformerFactory } from "../informer/index.js";
import type { CompletedConfiguration } from "./configuration/complete.js";
import { completeSchedulerConfiguration } from "./configuration/read.js";
import type { SchedulerConfiguration } from "./configuration/types.js";
import type { DeviceTest } from "./devices/requests.js";

export interface SchedulerOptions {
  readonly client: Client;
  /** Writes the events, e.g. at a limited rate; `client` by default. */
  readonly eventClient?: Client;
  /** Places the pods that name this scheduler; `default-scheduler` by default. Not with a `configuration`. */
  readonly schedulerName?: string;
  /** Profiles, plug-ins, extenders and their settings; its connection and its leader election are left to the caller. */
  readonly configuration?: SchedulerConfiguration;
  /** Informers to share with other parts of this process, which start them; the scheduler makes its own by default. */
  readonly informers?: SharedInformerFactory;
  /** True if nothing binds claims here: pods are then placed as if they had none. */
  readonly ignoresVolumes?: boolean;
  /**
   * Compiles the selectors in claims of devices, e.g. `deviceSelector` of `coxswain/apiserver`. Without it, pods are
   * placed as if they had no such claims.
   */
  readonly deviceSelector?: (expression: string) => DeviceTest;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
}

/** Throws if the configuration has faults. */
export function configurationOf({ schedulerName, configuration }: SchedulerOptions): CompletedConfiguration {
  if (configuration === undefined) {
    return completeSchedulerConfiguration({ profiles: schedulerName === undefined ? [] : [{ schedulerName }] });
  }
  if (schedulerName !== undefined) {
    throw new TypeError("startScheduler: schedulerName has no effect beside a configuration, which names its profiles");
  }
  return completeSchedulerConfiguration(configuration);
}
