/** A finished history, as oracles and stories see it. */
import type { EndState } from "./end-state.js";
import type { ReferenceFacts } from "./fault.js";
import type { Plan, PlannedFault, Profile } from "./plan.js";
import { type Entry, isBookkeeping } from "./record.js";

/** Everything about one history that oracles and stories may ask for. */
export interface History {
  readonly plan: Plan;
  readonly entries: readonly Entry[];
  readonly profile: Profile;
  /** The faults of the plan that found their moment. */
  readonly struck: readonly PlannedFault[];
  /** The reason why the scenario failed, if it did. */
  readonly scenarioError: string | undefined;
  /** True if the operator wrote nothing for a while after all faults; false if it was still writing when its time was over. */
  readonly settled: boolean;
  readonly end: EndState;
  /** The facts by which kinds of faults are chosen. */
  readonly facts: ReferenceFacts;
  /** The writes of a new process of the operator, started when all was at rest. */
  readonly restWrites: readonly Entry[];
  /** The reasons for which processes of the operator ended by themselves. */
  readonly exits: readonly string[];
  /** Keys that the operator has given up, with the reason. */
  readonly deadLetters: readonly string[];
  /** Keys that still fail at the end. */
  readonly failing: readonly string[];
  /** Keys that the operator's breaker slows because it writes to them without an end. */
  readonly hotLoops: readonly string[];
  /** The harm that was done to the belongings of other users. */
  readonly harm: readonly string[];
  /** Where two ways to the same desired state led to different ends. */
  readonly contradictions: readonly string[];
  /** The leases that are there at the end, those of nodes aside. */
  readonly leases: readonly string[];
  /** The number of timers that processes left behind when they were stopped. */
  readonly leftTimers: number;
  /** Rejections that no code of the operator handled. */
  readonly unhandled: readonly string[];
  /** When the world was at rest, or its time was over. */
  readonly endMs: number;
  /** The complaints of oracles that watch each revision. */
  readonly violations: readonly { readonly oracle: string; readonly message: string; readonly atMs: number }[];
  readonly virtualMs: number;
}

/** A write of the operator that changed something. */
export const isOperatorWrite = (entry: Entry): boolean =>
  entry.type === "request" && entry.changed && entry.actor.startsWith("operator-") && !isBookkeeping(entry.target);

/** A request of the operator for a lease by which replicas elect a leader. */
export const isOperatorLease = (entry: Entry): boolean =>
  entry.type === "request" &&
  entry.actor.startsWith("operator-") &&
  entry.target.resource === "coordination.k8s.io/leases" &&
  entry.target.namespace !== "kube-node-lease";
