/** A finished history, as oracles and stories see it. */
import type { EndState } from "./end-state.js";
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
  /** The complaints of oracles that watch each revision. */
  readonly violations: readonly { readonly oracle: string; readonly message: string; readonly atMs: number }[];
  readonly virtualMs: number;
}

/** A write of the operator that changed something. */
export const isOperatorWrite = (entry: Entry): boolean =>
  entry.type === "request" && entry.changed && entry.actor.startsWith("operator-") && !isBookkeeping(entry.target);
