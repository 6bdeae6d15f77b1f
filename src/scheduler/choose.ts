/** Chooses a node for a pod, or gives the reasons why none fits. Pure but for the random draw among equals. */
import type { Random } from "../base/index.js";
import { namedNodes } from "./filters/node-filters.js";
import { defaultFilters } from "./filters/index.js";
import type { Filter } from "./filters/filter.js";
import { type FitTest, fitTest } from "./fit.js";
import { defaultScores } from "./scores/index.js";
import type { Score } from "./scores/score.js";
import type { ClusterView } from "./state/cluster-state.js";
import type { NodeInfo } from "./state/node-info.js";
import type { PodInfo } from "./state/pod-info.js";

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
  /** Gives the pods that are nominated to a node. */
  readonly promised?: (node: string) => readonly PodInfo[];
}

/** Takes the pod's nominated node if it fits, else the best of the fitting nodes. */
export function choose(pod: PodInfo, view: ClusterView, options: ChooseOptions): Decision {
  const { filters = defaultFilters, scores = defaultScores, startAt = 0, random, promised } = options;
  const conflict = view.nodes.length > 0 ? rejection(pod, view, filters) : undefined;
  if (conflict !== undefined) return { type: "none", failure: conflict };
  const named = namedNodes(pod.pod);
  const test = fitTest(pod, view, { filters, ...(promised && { promised }) });
  const nominated = view.node(pod.pod.status?.nominatedNodeName ?? "");
  if (nominated?.node !== undefined && isAllowed(nominated, named) && test(nominated) === undefined) {
    return { type: "chosen", node: nominated.name, looked: 0, feasible: 1 };
  }
  const { feasible, looked, failure } = search(view, { test, named, startAt });
  if (feasible.length === 0) return { type: "none", failure };
  const node = feasible.length === 1 ? (feasible[0] as NodeInfo) : best(pod, view, { feasible, scores, random });
  return { type: "chosen", node: node.name, looked, feasible: feasible.length };
}

const isAllowed = ({ name }: NodeInfo, named: ReadonlySet<string> | undefined): boolean =>
  named === undefined || named.has(name);

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
export function enoughNodes(nodes: number): number {
  if (nodes < 100) return nodes;
  const percent = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(100, Math.floor((nodes * percent) / 100));
}

interface Found {
  readonly feasible: readonly NodeInfo[];
  readonly looked: number;
  readonly failure: PlacementFailure;
}

interface Search {
  readonly test: FitTest;
  /** Only these nodes are examined: otherwise each pod of a DaemonSet would be tried on every node. */
  readonly named: ReadonlySet<string> | undefined;
  readonly startAt: number;
}

function search(view: ClusterView, { test, named, startAt }: Search): Found {
  const candidates = named === undefined ? view.nodes : nodesNamed(view, named);
  const enough = enoughNodes(candidates.length);
  const feasible: NodeInfo[] = [];
  const resolvable: NodeInfo[] = [];
  const reasons = new Map<string, number>();
  const filters = new Set(named === undefined ? [] : ["NodeAffinity"]);
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
  if (others > 0) count(reasons, "node(s) didn't satisfy plugin(s) [NodeAffinity]", others);
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
  readonly feasible: readonly NodeInfo[];
  readonly scores: readonly Score[];
  readonly random: Random;
}

/** The node with the highest sum; ties are broken at random. */
function best(pod: PodInfo, view: ClusterView, { feasible, scores, random }: Choice): NodeInfo {
  const totals = new Float64Array(feasible.length);
  for (const score of scores) {
    const rating = score.prepare(pod, view, feasible);
    if (rating === undefined) continue;
    const raw = feasible.map((node) => rating.rate(node));
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
