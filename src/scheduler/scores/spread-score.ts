/**
 * Prefers nodes and zones with fewer similar pods: by the pod's constraints or, without any, by the pods of its
 * controller or services.
 */
import type { Labels } from "../../api/index.js";
import { requiredNodes } from "../../api/index.js";
import { countMatching, hasKeys, type Spread, spreadsOf } from "../filters/spread-filter.js";
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { maxScore, type Score } from "./score.js";

interface Criterion {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly counts: (node: NodeInfo) => boolean;
  readonly matching: (node: NodeInfo) => number;
}

const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";

export const spreadScore: Score = {
  name: "PodTopologySpread",
  weight: 2,
  prepare(info, view, feasible) {
    const isSaid = (info.pod.spec?.topologySpreadConstraints?.length ?? 0) > 0;
    const criteria = isSaid
      ? spreadsOf(info, "ScheduleAnyway").map((spread) => fromSpread(spread, info))
      : byDefault(info, view);
    if (criteria.length === 0) return undefined;
    // constraints of the pod need a node with all their labels; the defaults take the labels that there are
    const isRated = ({ labels }: NodeInfo): boolean => !isSaid || hasKeys(labels, criteria);
    const rated = feasible.filter(isRated);
    const counting = isSaid ? view.nodes.filter(isRated) : view.nodes;
    const parts = criteria.map((criterion) => partOf(criterion, rated, counting));
    return {
      rate(node) {
        if (!isRated(node)) return Number.NaN;
        let sum = 0;
        for (const part of parts) sum += part(node);
        return Math.round(sum);
      },
      normalise: fewerIsBetter,
    };
  },
};

const fromSpread = ({ topologyKey, maxSkew, selector, counts }: Spread, { namespace }: PodInfo): Criterion => ({
  topologyKey,
  maxSkew,
  counts,
  matching: (node) => countMatching(node, namespace, selector),
});

/** By default, siblings spread over hosts and, more loosely, over zones. */
function byDefault(info: PodInfo, view: ClusterView): readonly Criterion[] {
  const matching = siblings(info, view);
  if (matching === undefined) return [];
  const matches = requiredNodes(info.pod.spec);
  const counts = ({ node }: NodeInfo): boolean => node !== undefined && matches(node);
  return [
    { topologyKey: hostname, maxSkew: 3, counts, matching },
    { topologyKey: zone, maxSkew: 5, counts, matching },
  ];
}

/**
 * Counts siblings: pods of the same controller or, without one, pods that the pod's services select. Undefined if there
 * is neither.
 */
function siblings({ owner, namespace, labels }: PodInfo, view: ClusterView): Criterion["matching"] | undefined {
  if (owner !== undefined) return (node) => node.ofOwner(owner);
  const selected = Object.entries(view.serviceLabels(namespace, labels));
  if (selected.length === 0) return undefined;
  const isSelected = (other: Labels): boolean => selected.every(([key, value]) => other[key] === value);
  return (node) => {
    let count = 0;
    for (const other of node.pods.values()) {
      if (other.namespace === namespace && !other.isDeleting && isSelected(other.labels)) count++;
    }
    return count;
  };
}

function partOf(
  { topologyKey, maxSkew, matching, counts }: Criterion,
  rated: readonly NodeInfo[],
  counting: readonly NodeInfo[],
): (node: NodeInfo) => number {
  const skew = maxSkew - 1;
  if (topologyKey === hostname) {
    const weight = Math.log(rated.length + 2);
    return (node) => (node.labels[topologyKey] === undefined ? 0 : matching(node) * weight + skew);
  }
  if (rated.every(({ labels }) => labels[topologyKey] === undefined)) return () => 0;
  // nodes without the label form a domain of their own, by which no node is rated
  const domains = new Map(rated.map(({ labels }) => [labels[topologyKey] ?? "", 0]));
  for (const node of counting) {
    const domain = node.labels[topologyKey] ?? "";
    const count = domains.get(domain);
    if (count !== undefined && counts(node)) domains.set(domain, count + matching(node));
  }
  const weight = Math.log(domains.size + 2);
  return ({ labels }) => {
    const domain = labels[topologyKey];
    return domain === undefined ? 0 : (domains.get(domain) ?? 0) * weight + skew;
  };
}

function fewerIsBetter(raw: readonly number[]): readonly number[] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of raw) {
    if (Number.isNaN(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return raw.map((value) => {
    if (Number.isNaN(value)) return 0;
    return most === 0 ? maxScore : Math.floor((maxScore * (most + least - value)) / most);
  });
}
