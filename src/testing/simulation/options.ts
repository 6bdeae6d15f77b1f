/** The options of `simulate` with their checks, and the types of its report. */
import {
  type Clock,
  checkNumber,
  checkOptions,
  type FakeClock,
  type Logger,
  type OptionRule,
  type Random,
  type Running,
  shown,
} from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { ControllerSnapshot, Journal } from "../../controller/index.js";
import type { ClusterOptions } from "../cluster.js";
import type { FaultKind } from "./fault.js";
import type { Oracle } from "./oracle.js";
import type { Plan } from "./plan.js";
import type { StoryTrace } from "./trace.js";

/** The tools of one process of the operator. All of its actions must go through these, or the same seed gives another history. */
export interface OperatorTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The number of the replica, from 0. */
  readonly replica: number;
  readonly log: Logger;
}

/**
 * Something to start, such as a Manager, or something that already runs. With a journal, its reconciles are part of the
 * story.
 */
export type Operator = (Running | { start(): Running }) & {
  readonly journal?: Journal;
  readonly controllers?: readonly ControllerSnapshot[];
};

export interface ScenarioTools {
  /** As the administrator; no fault strikes its requests. */
  readonly client: Client;
  /** Time passes by itself while the scenario waits: `await clock.sleep(ms)`. */
  readonly clock: Clock;
  readonly random: Random;
  sleep(ms: number): Promise<void>;
}

export interface SimulateOptions {
  /** Makes one process of the operator that is judged. Called for each replica, and again after each kill. */
  readonly operator: (tools: OperatorTools) => Operator | Promise<Operator>;
  /** Plays the users: creates, changes, deletes. Ends when the users have nothing more to ask for. */
  readonly scenario: (tools: ScenarioTools) => Promise<void>;
  /** Prepares the cluster before the operator starts, e.g. installs definitions. No fault strikes it. */
  readonly setup?: (tools: ScenarioTools) => Promise<void>;
  /** Called before each history: empties the things that the operator keeps outside of the cluster, which no history forks. */
  readonly reset?: () => void;
  /** The built-in controllers, nodes and container rules of the world. None by default. */
  readonly world?: Pick<ClusterOptions<FakeClock>, "controllers" | "nodes" | "rules">;
  /** The number of processes of the operator. One by default; several need leader election. */
  readonly replicas?: number;
  /** The number of random histories, or their seeds. 100 by default. */
  readonly seeds?: number | readonly number[];
  /** Only these histories, by the seeds that failures name. `COXSWAIN_SEED` in the environment gives them too. */
  readonly only?: readonly string[];
  /** Try each single fault at each write and event of the history without faults first, and every kind once or more. True by default. */
  readonly systematic?: boolean;
  /** Plays every `count`th history alone, from that of the number `index` on, for processes that divide a search among them. */
  readonly share?: { readonly index: number; readonly count: number };
  /** `allFaults` by default. */
  readonly faults?: readonly FaultKind[];
  /** `defaultOracles` by default. */
  readonly oracles?: readonly Oracle[];
  /** Paths that two right end states may differ in, e.g. `status.attempts`. A write that changes nothing else does not count. */
  readonly ignore?: readonly string[];
  /** The virtual time after the last fault within which the operator must reach the right state. 30 minutes by default. */
  readonly settleMs?: number;
  /** The search ends after this many different failures. 1 by default. */
  readonly maxFailures?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting ends the search; the report covers everything that was done until then. */
  readonly signal?: AbortSignal;
}

const whole = { whole: true, min: 0 } as const;

const rules: Readonly<Record<keyof SimulateOptions, OptionRule>> = {
  operator: "function",
  scenario: "function",
  setup: "function",
  reset: "function",
  world: "object",
  replicas: { whole: true, min: 1 },
  seeds: "list",
  only: "list",
  systematic: "boolean",
  share: "object",
  faults: "list",
  oracles: "list",
  ignore: "list",
  settleMs: {},
  maxFailures: { whole: true, min: 1 },
  onProgress: "function",
  signal: "object",
};

/** Throws a TypeError or RangeError that names the option, for options that `simulate` cannot take. */
export function checkSimulateOptions(options: SimulateOptions): void {
  const of = "simulate";
  checkOptions(options, {
    of,
    required: ["operator", "scenario"],
    rules: { ...rules, seeds: typeof options?.seeds === "number" ? whole : "list" },
  });
  const { world = {}, share, seeds, faults = [], oracles = [] } = options;
  checkOptions(world, { of: `${of}: world`, rules: { controllers: "list", nodes: whole, rules: "list" } });
  if (share !== undefined)
    checkOptions(share, { of: `${of}: share`, required: ["index", "count"], rules: { index: whole, count: whole } });
  for (const seed of Array.isArray(seeds) ? (seeds as readonly unknown[]) : [])
    checkNumber(`${of}: seeds`, seed, whole);
  // texts have a method of this name, too
  for (const fault of faults as readonly (Partial<FaultKind> | undefined)[])
    if (typeof fault !== "object" || typeof fault.strike !== "function")
      throw new TypeError(`${of}: faults: ${shown(fault)} is no kind of fault; choose from allFaults by their names`);
  for (const oracle of oracles as readonly (Partial<Oracle> | undefined)[])
    if (typeof oracle?.judge !== "function" && typeof oracle?.watch !== "function")
      throw new TypeError(`${of}: oracles: ${shown(oracle)} is no oracle; choose from defaultOracles by their names`);
}

export interface Progress {
  readonly histories: number;
  readonly failures: number;
  /** The systematic histories that were played, and their number. */
  readonly systematic: { readonly played: number; readonly of: number };
}

export interface Failure {
  /** Repeats the history: `COXSWAIN_SEED=<seed>`. */
  readonly seed: string;
  /** The smallest set of faults that still fails. */
  readonly plan: Plan;
  /** The oracle that complained. */
  readonly oracle: string;
  readonly message: string;
  /** For people: the plan, the expected and the actual state, and the record around the faults. */
  readonly story: string;
  /** For tools: the whole record of the history in the Trace Event Format, as Perfetto and others open it. */
  readonly trace: StoryTrace;
}

/** The share of the history without faults that the faults of a search reached. */
export interface Coverage {
  /** The operator's writes, and the events that it was sent. */
  readonly writes: number;
  readonly events: number;
  /** The versions of objects that reconciles read from their caches, for operators with a journal. */
  readonly reads: number;
  /** The numbers of those reads, from 0, that were made stale in some history. */
  readonly staleReads: readonly number[];
  /** The number of single faults that were not tried, because the history shows that they make no difference. */
  readonly pruned: number;
  /** For each kind of fault that struck: in how many histories, at how many different moments, and at which of the writes. */
  readonly struck: Readonly<Record<string, CoverageOfFault>>;
}

export interface CoverageOfFault {
  readonly histories: number;
  readonly moments: number;
  /** The numbers of the writes, from 0. */
  readonly writes: readonly number[];
}

export interface Report {
  /** Empty if the operator passed. */
  readonly failures: readonly Failure[];
  readonly histories: number;
  readonly coverage: Coverage;
  /** Virtual time that passed in all histories together. */
  readonly virtualMs: number;
}
