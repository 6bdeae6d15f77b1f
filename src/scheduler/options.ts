/** The settings of a scheduler. */
import type { Clock, Logger, MetricsRegistry, Random } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { SharedInformerFactory } from "../informer/index.js";
import type { DeviceTest } from "./devices/requests.js";

export interface SchedulerOptions {
  readonly client: Client;
  /** Writes the events, e.g. at a limited rate; `client` by default. */
  readonly eventClient?: Client;
  /** Places the pods that name this scheduler; `default-scheduler` by default. */
  readonly schedulerName?: string;
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
