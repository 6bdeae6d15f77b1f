/** The decision: a node for a pod, or why there is none. Pure but for the draw among equals; from the scheduler's loop. */
import type { Random } from "../../base/index.js";
import { namedNodes } from "./filters/node-filters.js";
import { defaultFilters } from "./filters/index.js";
import type { Filter, NodeTest } from "./filters/filter.js";
import { defaultScores } from "./scores/index.js";
import type { Score } from "./scores/score.js";
import type { ClusterView } from "./state/cluster-state.js";
import type { NodeInfo } from "./state/node-info.js";
import type { PodInfo } from "./state/pod-info.js";

export type Decision =
  | { readonly type: "chosen"; readonly node: string; readonly looked: number; readonly feasible: number }
  | { readonly type: "none"; readonly failure: Failure };

/** Nobody will do. */
export interface Failure {
  readonly nodes: number;
  /** How many nodes there are for each reason; a node may have several. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The names of the filters that said no. */
  readonly filters: ReadonlySet<string>;
  /** On how many nodes removing pods would not help. */
  readonly unresolvable: number;
  /** On how many nodes it might, if there were pods of lower priority; there are none. Undefined if there are on some. */
  readonly withoutVictims: number | undefined;
}

export interface ChooseOptions {
  readonly random: Random;
  /** Where the search begins: it goes around, so that all nodes get their turn. */
  readonly startAt?: number;
  readonly filters?: readonly Filter[];
  readonly scores?: readonly Score[];
}

export function choose(pod: PodInfo, view: ClusterView, options: ChooseOptions): Decision {
  const { filters = defaultFilters, scores = defaultScores, startAt = 0, random } = options;
  const { feasible, looked, failure } = search(pod, view, { filters, startAt });
  if (feasible.length === 0) return { type: "none", failure };
  const node = feasible.length === 1 ? (feasible[0] as NodeInfo) : best(pod, view, { feasible, scores, random });
  return { type: "chosen", node: node.name, looked, feasible: feasible.length };
}

/** Up to 100 nodes all are looked at; of more, enough to have a good choice: between half and a twentieth of them. */
export function enoughNodes(nodes: number): number {
  if (nodes < 100) return nodes;
  const percent = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(100, Math.floor((nodes * percent) / 100));
}

interface Found {
  readonly feasible: readonly NodeInfo[];
  readonly looked: number;
  readonly failure: Failure;
}

function search(
  pod: PodInfo,
  view: ClusterView,
  { filters, startAt }: { readonly filters: readonly Filter[]; readonly startAt: number },
): Found {
  const tests: { readonly name: string; readonly test: NodeTest }[] = [];
  for (const filter of filters) {
    const test = filter.prepare(pod, view);
    if (test !== undefined) tests.push({ name: filter.name, test });
  }
  const { nodes } = view;
  const named = namedNodes(pod.pod);
  const enough = enoughNodes(nodes.length);
  const feasible: NodeInfo[] = [];
  const reasons = new Map<string, number>();
  const refusing = new Set<string>();
  let unresolvable = 0;
  let withoutVictims: number | undefined = 0;
  let looked = 0;
  for (; looked < nodes.length && feasible.length < enough; looked++) {
    const node = nodes[(startAt + looked) % nodes.length] as NodeInfo;
    if (named !== undefined && !named.has(node.name)) {
      // not asked one by one: a DaemonSet's pods would else look at every node each
      unresolvable++;
      count(reasons, notNamed);
      refusing.add("NodeAffinity");
      continue;
    }
    let refused = false;
    for (const { name, test } of tests) {
      const refusal = test(node);
      if (refusal === undefined) continue;
      refused = true;
      refusing.add(name);
      for (const reason of refusal.reasons) count(reasons, reason);
      if (refusal.unresolvable) unresolvable++;
      else if (withoutVictims !== undefined) withoutVictims = hasVictims(node, pod) ? undefined : withoutVictims + 1;
      break;
    }
    if (!refused) feasible.push(node);
  }
  const failure = { nodes: nodes.length, reasons, filters: refusing, unresolvable, withoutVictims };
  return { feasible, looked, failure };
}

function hasVictims({ pods }: NodeInfo, { priority }: PodInfo): boolean {
  for (const other of pods.values()) if (other.priority < priority) return true;
  return false;
}

const notNamed = "node(s) didn't satisfy plugin(s) [NodeAffinity]";

const count = (reasons: Map<string, number>, reason: string): void => {
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
};

interface Choice {
  readonly feasible: readonly NodeInfo[];
  readonly scores: readonly Score[];
  readonly random: Random;
}

/** The highest sum; among equals each has the same chance. */
function best(pod: PodInfo, view: ClusterView, { feasible, scores, random }: Choice): NodeInfo {
  const totals = new Float64Array(feasible.length);
  for (const score of scores) {
    const rating = score.prepare(pod, view, feasible);
    if (rating === undefined) continue;
    const raw = feasible.map((node) => rating.rate(node));
    const rated = rating.normalise === undefined ? raw : rating.normalise(raw);
    for (const [index, value] of rated.entries()) totals[index] = (totals[index] as number) + value * score.weight;
  }
  let winner = 0;
  let equals = 1;
  for (let index = 1; index < totals.length; index++) {
    const difference = (totals[index] as number) - (totals[winner] as number);
    if (difference > 0) {
      winner = index;
      equals = 1;
    } else if (difference === 0) {
      equals++;
      if (random.int(equals) === 0) winner = index;
    }
  }
  return feasible[winner] as NodeInfo;
}
