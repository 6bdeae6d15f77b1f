/** Finds pods of lower priority whose removal makes room for a pod. Pure: the scheduler acts on the result. */
import { findCondition, labelSelectorAsSelector, type Pod, type PodDisruptionBudget } from "../../api/index.js";
import type { Random } from "../../base/index.js";
import { count, type PlacementFailure } from "./choose.js";
import { unavailableMessage } from "./failure-message.js";
import type { Filter, FitTest, Refused } from "../filters/filter.js";
import { defaultFilters } from "../filters/index.js";
import { fitTest, withNode } from "./fit.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { defined } from "../../base/defined.js";

/** The pods that must go from one node, the most important first. */
export interface Candidate {
  readonly node: string;
  readonly victims: readonly PodInfo[];
  /** The number of victims that a disruption budget would keep. */
  readonly violations: number;
}

export type Preemption =
  /** At least one, in the order in which they were found. */
  | { readonly type: "found"; readonly candidates: readonly Candidate[] }
  /** `keepsPromise` is true if the pod's earlier nomination still holds. */
  | { readonly type: "none"; readonly message: string; readonly keepsPromise: boolean };

export interface PreemptionOptions {
  readonly random: Random;
  readonly budgets: readonly PodDisruptionBudget[];
  readonly filters?: readonly Filter[];
  /** The number of candidates that are enough, if the nodes are many. */
  readonly enough?: EnoughCandidates;
  readonly promised?: (node: string) => readonly PodInfo[];
}

/** A share of the nodes in percent, but at least a number of them. */
export interface EnoughCandidates {
  readonly percentage: number;
  readonly absolute: number;
}

const usualCandidates: EnoughCandidates = { percentage: 10, absolute: 100 };

const nobody = "No preemption victims found for incoming pod";
const useless = "Preemption is not helpful for scheduling";

export function preempt(
  pod: PodInfo,
  view: ClusterView,
  { failure, ...options }: PreemptionOptions & { readonly failure: PlacementFailure },
): Preemption {
  const ineligible = whyNotEligible(pod, view, failure);
  if (ineligible !== undefined) return { type: "none", message: ineligible, keepsPromise: true };
  const { candidates, refusals } = findCandidates(pod, view, { ...options, nodes: failure.resolvable });
  if (candidates.length > 0) return { type: "found", candidates };
  const reasons = new Map<string, number>();
  for (const refusal of refusals) for (const reason of refusal) count(reasons, reason);
  if (refusals.length < failure.nodes) count(reasons, useless, failure.nodes - refusals.length);
  return { type: "none", message: unavailableMessage(failure.nodes, reasons), keepsPromise: false };
}

/** The reason why a pod may not preempt: its policy forbids it, or its victims are still terminating. */
function whyNotEligible({ pod, priority }: PodInfo, view: ClusterView, failure: PlacementFailure): string | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const promised = pod.status?.nominatedNodeName;
  const node = promised ? view.node(promised) : undefined;
  // a node that would not fit even without them is given up
  if (node === undefined || !failure.resolvable.includes(node)) return undefined;
  for (const other of node.pods.values()) {
    if (other.priority < priority && isLeavingForAnother(other.pod)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

function isLeavingForAnother({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const target = findCondition(status?.conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}

interface Finding extends PreemptionOptions {
  readonly nodes: readonly NodeInfo[];
}

interface Findings {
  readonly candidates: readonly Candidate[];
  /** The reasons of each node that was examined and is no candidate. */
  readonly refusals: readonly (readonly string[])[];
}

/** Looks for enough candidates, and for more only if every candidate so far violates a budget. */
function findCandidates(pod: PodInfo, view: ClusterView, { nodes, random, ...options }: Finding): Findings {
  const { percentage, absolute } = options.enough ?? usualCandidates;
  // the usual case, in which no node need be examined
  if (!view.anyBelow(pod.priority)) return { candidates: [], refusals: nodes.map(() => [nobody]) };
  const enough = Math.min(nodes.length, Math.max(absolute, Math.floor((nodes.length * percentage) / 100)));
  const offset = nodes.length === 0 ? 0 : random.int(nodes.length);
  const candidates: Candidate[] = [];
  const refusals: (readonly string[])[] = [];
  let isAnyClean = false;
  for (let looked = 0; looked < nodes.length; looked++) {
    const node = nodes[(offset + looked) % nodes.length] as NodeInfo;
    const found = candidateOn(pod, node, view, options);
    if (!("node" in found)) {
      refusals.push(found.reasons);
      continue;
    }
    candidates.push(found);
    isAnyClean ||= found.violations === 0;
    if (isAnyClean && candidates.length >= enough) break;
  }
  return { candidates: candidates.sort((a, b) => Math.min(1, a.violations) - Math.min(1, b.violations)), refusals };
}

/** Removes all pods of lower priority; if the pod then fits, puts back as many as possible, the most important first. */
function candidateOn(
  pod: PodInfo,
  actual: NodeInfo,
  view: ClusterView,
  { budgets, filters = defaultFilters, promised }: Omit<PreemptionOptions, "random">,
): Candidate | Pick<Refused, "reasons"> {
  const possible = [...actual.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (possible.length === 0) return { reasons: [nobody] };
  const node = actual.copy();
  for (const { uid } of possible) node.remove(uid);
  const imagined = withNode(view, node);
  // filters count pods in `prepare`, so they are prepared anew each time
  const test: FitTest = (one) => fitTest(pod, imagined, { filters, ...defined({ promised }) })(one);
  const refused = test(node);
  if (refused !== undefined) return refused;
  possible.sort(byImportance);
  const { violating, others } = splitByBudget(possible, budgets);
  const staysOut = (victim: PodInfo): boolean => {
    node.add(victim);
    if (test(node) === undefined) return false;
    node.remove(victim.uid);
    return true;
  };
  const violations = violating.filter(staysOut);
  const victims = [...violations, ...others.filter(staysOut)].sort(byImportance);
  return { node: node.name, victims, violations: violations.length };
}

/** A pod that has not started counts as the youngest. */
const startOf = ({ pod }: PodInfo): string => pod.status?.startTime ?? "9999";

const byImportance = (a: PodInfo, b: PodInfo): number =>
  b.priority - a.priority || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0);

/** A pod that is already listed in a budget's `disruptedPods` does not use it up again. */
function splitByBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map(({ metadata, spec, status }) => ({
    namespace: metadata.namespace,
    selector: labelSelectorAsSelector(spec?.selector),
    disrupted: status?.disruptedPods ?? {},
    allowed: status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const info of pods) {
    let violates = false;
    for (const budget of left) {
      const { namespace, selector, disrupted } = budget;
      if (namespace !== info.namespace || selector.isEverything || !selector.matches(info.labels)) continue;
      if (Object.keys(info.labels).length === 0 || Object.hasOwn(disrupted, info.pod.metadata.name)) continue;
      violates = --budget.allowed < 0 || violates;
    }
    (violates ? violating : others).push(info);
  }
  return { violating, others };
}

/**
 * In this order: the fewest violated budgets, the least important victims, the lowest sum of priorities, the fewest
 * victims, the latest start of the most important of them.
 */
const preferences: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? 0,
  // shifted to positive numbers, so that many pods of low priority weigh more than few
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims: [first, ...rest] }) => {
    const highest = [first, ...rest].flatMap((one) => (one?.priority === first?.priority && one ? [startOf(one)] : []));
    return -Date.parse(highest.sort()[0] ?? "");
  },
];

/** Undefined if there is no candidate. */
export function bestCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const rate of preferences) {
    if (left.length === 1) break;
    const rates = left.map(rate);
    const least = Math.min(...rates);
    left = left.filter((_, index) => rates[index] === least);
  }
  return left[0];
}
