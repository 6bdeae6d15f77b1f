/** Keeps pods evenly spread over zones, hosts or whatever a label says, where the pod insists on it. */
import type { Pod, Selector, TopologySpreadConstraint } from "../../../api/index.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import { type PodInfo, withLabelKeys } from "../state/pod-info.js";
import { type Filter, refusal } from "./filter.js";
import { hasUntolerated, matchesNodeAffinity } from "./node-filters.js";

export interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  /** Whether the pods on this node count. */
  readonly counts: (node: NodeInfo) => boolean;
}

export function spreadsOf({ pod, labels }: PodInfo, when: "DoNotSchedule" | "ScheduleAnyway"): readonly Spread[] {
  const constraints = pod.spec?.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint) =>
    constraint.whenUnsatisfiable === when ? [compile(constraint, pod, labels)] : [],
  );
}

function compile(constraint: TopologySpreadConstraint, pod: Pod, labels: PodInfo["labels"]): Spread {
  const { topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys } = constraint;
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  return {
    topologyKey,
    maxSkew,
    minDomains,
    selector: withLabelKeys(labelSelector, matchLabelKeys, labels),
    counts: ({ node }) =>
      node !== undefined &&
      (nodeAffinityPolicy !== "Honor" || matchesNodeAffinity(pod, node)) &&
      (nodeTaintsPolicy !== "Honor" || !hasUntolerated(node, pod.spec?.tolerations)),
  };
}

export function countMatching(node: NodeInfo, namespace: string, selector: Selector): number {
  let count = 0;
  for (const other of node.pods.values()) {
    if (other.namespace === namespace && !other.isDeleting && selector.matches(other.labels)) count++;
  }
  return count;
}

export const spreadFilter: Filter = {
  name: "PodTopologySpread",
  prepare(info, view) {
    const spreads = spreadsOf(info, "DoNotSchedule");
    if (spreads.length === 0) return undefined;
    const domains = spreads.map((spread) => domainsOf(spread, spreads, info, view));
    const noLabel = refusal("node(s) didn't match pod topology spread constraints (missing required label)", true);
    const tooMany = refusal("node(s) didn't match pod topology spread constraints");
    return (node) => {
      for (const [index, { topologyKey, maxSkew, selector }] of spreads.entries()) {
        const value = node.labels[topologyKey];
        if (value === undefined) return noLabel;
        const { counts, least } = domains[index] as Domains;
        const self = selector.matches(info.labels) ? 1 : 0;
        if ((counts.get(value) ?? 0) + self - least > maxSkew) return tooMany;
      }
      return undefined;
    };
  },
  wakesOn: new Set(["node-labels", "node-taints", "pod-added", "pod-removed", "pod-labels"]),
};

interface Domains {
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

/** Only nodes that have the keys of all constraints make domains. */
function domainsOf(spread: Spread, all: readonly Spread[], info: PodInfo, view: ClusterView): Domains {
  const counts = new Map<string, number>();
  for (const node of view.nodes) {
    const value = node.labels[spread.topologyKey];
    if (value === undefined || !all.every(({ topologyKey }) => node.labels[topologyKey] !== undefined)) continue;
    if (!spread.counts(node)) continue;
    counts.set(value, (counts.get(value) ?? 0) + countMatching(node, info.namespace, spread.selector));
  }
  return { counts, least: counts.size < spread.minDomains ? 0 : Math.min(...counts.values()) };
}
