/** The context that every built-in controller is given, and the interface that it implements. */
import type { ExpressionWarning, KubeObject, ResourceType, ValidatingAdmissionPolicy } from "../../api/index.js";
import type { Clock, Logger, MetricsRegistry, Random } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { Journal, KeyLoop } from "../../controller/index.js";
import type { SharedInformerFactory } from "../../informer/index.js";

/** Records events about an object, for people to read; never blocks and never fails. */
export interface Recorder {
  normal(object: KubeObject, reason: string, message: string): void;
  warning(object: KubeObject, reason: string, message: string): void;
}

export interface ControllerContext {
  readonly client: Client;
  /** Shared by all controllers, so that each kind is watched once. */
  readonly informers: SharedInformerFactory;
  /** The record of the runs of all controllers. */
  readonly journal: Journal;
  /** A recorder whose events name this component as their source. */
  recorderFor(component: string): Recorder;
  /** Credentials that no API object holds: the caller provides them. */
  readonly credentials: ClusterCredentials;
  /**
   * True if the only API server acts on each write before it answers, so that no server learns late of a namespace's
   * deletion.
   */
  readonly oneServer?: boolean;
  /** Checks the expressions of policies; the controller that tells the outcome does not run without it. */
  readonly policyWarnings?: PolicyWarnings;
  /** The number of keys that this controller works on at once; by default its own number. */
  readonly workers?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** A kind, and the OpenAPI v3 document that describes it, if there is one. */
export interface DescribedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>> | undefined;
}

/** The kinds that a policy is about, as far as its rules name them. */
export interface PolicyKinds {
  readonly objects: readonly DescribedKind[];
  /** Undefined if the policy takes no parameters. */
  readonly params: DescribedKind | undefined;
}

/** Finds the expressions of a policy that do not fit the types of its objects. */
export type PolicyWarnings = (policy: ValidatingAdmissionPolicy, kinds: PolicyKinds) => readonly ExpressionWarning[];

/** All in PEM. A controller that needs a credential which is not given does not run. */
export interface ClusterCredentials {
  /** The certificate of the authority that signed the API server's certificate. */
  readonly ca?: string;
  /** The authority that signs requested certificates. */
  readonly signer?: { readonly certificate: string; readonly key: string };
  /** The private key that signs service account tokens. */
  readonly tokenKey?: string;
}

/**
 * A controller that has registered its handlers and indexes. It begins to work when `run` is called, after the caches
 * are filled.
 */
export interface BuiltInController {
  readonly loops: readonly KeyLoop[];
  /** For a controller that does more than run its loops. Ends when the signal aborts and the work under way has ended. */
  run?(signal: AbortSignal): Promise<void>;
}

/** The names are API: flags, metrics and leases contain them. */
export interface ControllerDescriptor {
  /** For example `deployment-controller`. */
  readonly name: string;
  /** Short names that flags accept too, for example `deployment`. */
  readonly aliases: readonly string[];
  /** True if `*` does not mean it: it has to be named. */
  readonly disabledByDefault?: boolean;
  /** Kinds that not every server has. On a server without one of them the controller cannot fill its caches. */
  readonly needs?: readonly ResourceType[];
  /** Undefined if the controller cannot run with this context, for example without a credential. */
  create(context: ControllerContext): BuiltInController | undefined;
}
