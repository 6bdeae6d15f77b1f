/** What every built-in controller is given, and what it gives back. From the controller-manager; to each controller. */
import type { KubeObject } from "../../api/index.js";
import type { Clock, Logger, MetricsRegistry, Random } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { Journal, KeyLoop } from "../../controller/index.js";
import type { SharedInformerFactory } from "../../informer/index.js";

/** Events about an object, for people; never blocks and never fails. */
export interface Recorder {
  normal(object: KubeObject, reason: string, message: string): void;
  warning(object: KubeObject, reason: string, message: string): void;
}

export interface ControllerContext {
  readonly client: Client;
  /** Shared by all controllers, so that each kind is watched once. */
  readonly informers: SharedInformerFactory;
  /** Where the runs of all controllers are written down. */
  readonly journal: Journal;
  /** Events that name this component as their source. */
  recorderFor(component: string): Recorder;
  /** What is in no API: only whoever runs the controllers knows it. */
  readonly credentials: ClusterCredentials;
  /** The only server is one that acts on each write before it answers: nobody learns late that a namespace goes. */
  readonly oneServer?: boolean;
  /** How many keys this controller works on at once; its own default if nobody said. */
  readonly workers?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** PEM, both. A controller that needs one which is not given does not run. */
export interface ClusterCredentials {
  /** What signed the certificate of the API server. */
  readonly ca?: string;
  /** The private key that signs tokens of service accounts. */
  readonly tokenKey?: string;
}

/** A controller that has registered its handlers and indexes. It begins to work when it is run, after the caches are filled. */
export interface BuiltInController {
  readonly loops: readonly KeyLoop[];
  /** For a controller that does more than run its loops. Ends when the signal aborts and what was in flight has ended. */
  run?(signal: AbortSignal): Promise<void>;
}

/** Names are API: flags, metrics and leases carry them. */
export interface ControllerDescriptor {
  /** e.g. `deployment-controller`. */
  readonly name: string;
  /** The short names that flags take too, e.g. `deployment`. */
  readonly aliases: readonly string[];
  readonly disabledByDefault?: boolean;
  /** undefined if it cannot run with what there is. */
  create(context: ControllerContext): BuiltInController | undefined;
}
