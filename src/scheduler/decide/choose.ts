/** Chooses a node for a pod, or gives the reasons why none fits. Pure but for the random draw among equals. */
import type { Random } from "../../base/index.js";
import { defaultFilters } from "../filters/index.js";
import type { Filter, FitTest } from "../filters/filter.js";
import type { Answers, AnswersToKind } from "./answers.js";
import { fitTest } from "./fit.js";
import { defaultScores } from "../scores/index.js";
import type { Score } from "../scores/score.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { defined } from "../../base/defined.js";

export type Decision =
  | { readonly type: "chosen"; readonly node: string; readonly looked: number; readonly feasible: number }
  | { readonly type: "none"; readonly failure: PlacementFailure };

/** No node fits. */
export interface PlacementFailure {
  readonly nodes: number;
  /** The reason why no node was examined at all. */
  readonly conflict?: string;
  /** The number of nodes for each reason; a node may have several. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The names of the filters that refused nodes. */
  readonly filters: ReadonlySet<string>;
  /** The nodes on which removing pods may help. */
  readonly resolvable: readonly NodeInfo[];
}

export interface ChooseOptions {
  readonly random: Random;
  /** The index at which the search begins; it wraps around, so that all nodes get their turn. */
  readonly startAt?: number;
  readonly filters?: readonly Filter[];
  readonly scores?: readonly Score[];
  /** The share of nodes to find, in percent, if there are many; 0, the default, adapts it to their number. */
  readonly percentage?: number;
  /** Whether extenders filter the nodes afterwards, so that one is not enough even without scores. */
  readonly isFilteredAgain?: boolean;
  /** Whether the pod's nominated node has no precedence. */
  readonly ignoresNomination?: boolean;
  /** Gives the pods that are nominated to a node. */
  readonly promised?: (node: string) => readonly PodInfo[];
  /** Remembers the answers of the view's nodes to these filters and scores. */
  readonly answers?: Answers;
}

/** Takes the pod's nominated node if it fits, else the best of the fitting nodes. */
export function choose(pod: PodInfo, view: ClusterView, options: ChooseOptions): Decision {
  const { feasible, looked, failure, answers } = findFeasible(pod, view, options);
  if (feasible.length === 0) return { type: "none", failure };
  const { scores = defaultScores, random } = options;
  const node = best(pod, view, { feasible, scores, random, answers });
  return { type: "chosen", node: node.name, looked, feasible: feasible.length };
}

/** The nodes that fit: the nominated one alone if it does. */
export interface Feasible {
  readonly feasible: readonly NodeInfo[];
  /** The number of nodes that the search examined. */
  readonly looked: number;
  readonly failure: PlacementFailure;
  readonly answers?: AnswersToKind | undefined;
}

export function findFeasible(pod: PodInfo, view: ClusterView, options: Omit<ChooseOptions, "random">): Feasible {
  const { filters = defaultFilters, scores = defaultScores, startAt = 0, percentage = 0, promised } = options;
  const conflict = view.nodes.length > 0 ? rejection(pod, view, filters) : undefined;
  if (conflict !== undefined) return { feasible: [], looked: 0, failure: conflict };
  const named = namedBy(filters, pod);
  // a pod that names its nodes asks few, and is like no other
  const answers = named === undefined ? options.answers?.to(pod) : undefined;
  const test = fitTest(pod, view, { filters, answers, ...defined({ promised }) });
  const nominated = options.ignoresNomination ? undefined : view.node(pod.pod.status?.nominatedNodeName ?? "");
  if (nominated?.node !== undefined && isAllowed(nominated, named?.nodes) && test(nominated) === undefined) {
    return { feasible: [nominated], looked: 0, failure: noFailure(view) };
  }
  // without scores, the first node is as good as any
  const enough = (nodes: number): number =>
    scores.length === 0 && !options.isFilteredAgain ? 1 : enoughNodes(nodes, percentage);
  return { answers, ...search(view, { test, named, startAt, enough }) };
}

const noFailure = ({ nodes }: ClusterView): PlacementFailure => ({
  nodes: nodes.length,
  reasons: new Map(),
  filters: new Set(),
  resolvable: [],
});

const isAllowed = ({ name }: NodeInfo, named: ReadonlySet<string> | undefined): boolean =>
  named === undefined || named.has(name);

/** The only nodes that filters leave to a pod: otherwise each pod of a DaemonSet would be tried on every node. */
interface Named {
  readonly nodes: ReadonlySet<string>;
  /** The filters that named them. */
  readonly by: readonly string[];
}

function namedBy(filters: readonly Filter[], pod: PodInfo): Named | undefined {
  let nodes: ReadonlySet<string> | undefined;
  const by: string[] = [];
  for (const { name, only } of filters) {
    const named = only?.(pod);
    if (named === undefined) continue;
    const before = nodes;
    nodes = before === undefined ? named : new Set([...named].filter((node) => before.has(node)));
    by.push(name);
  }
  return nodes && { nodes, by };
}

/** The verdict of the first filter that rejects the pod for all nodes. */
function rejection(pod: PodInfo, { nodes }: ClusterView, filters: readonly Filter[]): PlacementFailure | undefined {
  for (const { name, rejects } of filters) {
    const conflict = rejects?.(pod);
    if (conflict === undefined) continue;
    return { nodes: nodes.length, conflict, reasons: new Map(), filters: new Set([name]), resolvable: [] };
  }
  return undefined;
}

/** Up to 100 nodes, all are examined; of more, enough for a good choice: between half and a twentieth, as kube-scheduler does. */
export function enoughNodes(nodes: number, percentage = 0): number {
  if (nodes < 100) return nodes;
  const percent = percentage === 0 ? Math.max(5, 50 - Math.floor(nodes / 125)) : percentage;
  return Math.max(100, Math.floor((nodes * percent) / 100));
}

interface Search {
  readonly test: FitTest;
  readonly named: Named | undefined;
  readonly startAt: number;
  enough(nodes: number): number;
}

function search(view: ClusterView, { test, named, startAt, ...options }: Search): Feasible {
  const candidates = named === undefined ? view.nodes : nodesNamed(view, named.nodes);
  const enough = options.enough(candidates.length);
  const feasible: NodeInfo[] = [];
  const resolvable: NodeInfo[] = [];
  const reasons = new Map<string, number>();
  const filters = new Set(named?.by);
  let looked = 0;
  for (; looked < candidates.length && feasible.length < enough; looked++) {
    const node = candidates[(startAt + looked) % candidates.length] as NodeInfo;
    const refused = test(node);
    if (refused === undefined) {
      feasible.push(node);
      continue;
    }
    filters.add(refused.filter);
    for (const reason of refused.reasons) count(reasons, reason);
    if (!refused.unresolvable) resolvable.push(node);
  }
  const others = view.nodes.length - candidates.length;
  if (others > 0) count(reasons, `node(s) didn't satisfy plugin(s) [${named?.by.join(" ") ?? ""}]`, others);
  return { feasible, looked, failure: { nodes: view.nodes.length, reasons, filters, resolvable } };
}

const nodesNamed = (view: ClusterView, names: ReadonlySet<string>): readonly NodeInfo[] =>
  [...names].flatMap((name) => {
    const info = view.node(name);
    return info?.node === undefined ? [] : [info];
  });

/** Adds to the reasons' counts. */
export function count(reasons: Map<string, number>, reason: string, by = 1): void {
  reasons.set(reason, (reasons.get(reason) ?? 0) + by);
}

interface Choice {
  /** Not empty. */
  readonly feasible: readonly NodeInfo[];
  readonly scores: readonly Score[];
  readonly random: Random;
  readonly answers?: AnswersToKind | undefined;
  /** The sum of the scores that extenders give a node. */
  readonly further?: (node: NodeInfo) => number;
}

/** The node with the highest sum; ties are broken at random. */
export function best(
  pod: PodInfo,
  view: ClusterView,
  { feasible, scores, random, answers, further }: Choice,
): NodeInfo {
  if (feasible.length === 1) return feasible[0] as NodeInfo;
  const totals = new Float64Array(feasible.length);
  if (further !== undefined) for (const [index, node] of feasible.entries()) totals[index] = further(node);
  for (const score of scores) {
    const rating = score.prepare(pod, view, feasible);
    if (rating === undefined) continue;
    const isKept = answers !== undefined && score.isOfNode;
    const raw = isKept ? answers.ratings(score, rating, feasible) : feasible.map((node) => rating.rate(node));
    const rated = rating.normalise === undefined ? raw : rating.normalise(raw);
    for (let index = 0; index < rated.length; index++) {
      totals[index] = (totals[index] as number) + (rated[index] as number) * score.weight;
    }
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
