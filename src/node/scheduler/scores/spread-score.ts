/** Prefers nodes in whose zone and on which fewer pods of the same kind are: as the pod says, or, if it says nothing, as its controller's pods are. */
import { countMatching, type Spread, spreadsOf } from "../filters/spread-filter.js";
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
    const said = spreadsOf(info, "ScheduleAnyway");
    const criteria = said.length > 0 ? said.map((spread) => fromSpread(spread, info)) : byDefault(info);
    if (criteria.length === 0) return undefined;
    // a node must have every label that the pod names; by default those that it has are enough
    const isRated = ({ labels }: NodeInfo): boolean =>
      said.length === 0 || criteria.every(({ topologyKey }) => labels[topologyKey] !== undefined);
    const rated = feasible.filter(isRated);
    const parts = criteria.map((criterion) => partOf(criterion, rated, view));
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

/** Siblings spread over hosts and, more loosely, over zones. */
function byDefault({ owner, pod }: PodInfo): readonly Criterion[] {
  if (owner === undefined || pod.spec?.topologySpreadConstraints !== undefined) return [];
  const matching = (node: NodeInfo): number => node.ofOwner(owner);
  return [
    { topologyKey: hostname, maxSkew: 3, counts: () => true, matching },
    { topologyKey: zone, maxSkew: 5, counts: () => true, matching },
  ];
}

function partOf(criterion: Criterion, rated: readonly NodeInfo[], view: ClusterView): (node: NodeInfo) => number {
  const { topologyKey, maxSkew, matching } = criterion;
  if (topologyKey === hostname) {
    const weight = Math.log(rated.length + 2);
    return (node) => matching(node) * weight + (maxSkew - 1);
  }
  const domains = new Map<string, number>();
  for (const { labels } of rated) if (labels[topologyKey] !== undefined) domains.set(labels[topologyKey], 0);
  if (domains.size === 0) return () => 0;
  for (const node of view.nodes) {
    const value = node.labels[topologyKey];
    const count = value === undefined ? undefined : domains.get(value);
    if (value !== undefined && count !== undefined && criterion.counts(node))
      domains.set(value, count + matching(node));
  }
  const weight = Math.log(domains.size + 2);
  return ({ labels }) => {
    const value = labels[topologyKey];
    return value === undefined ? 0 : (domains.get(value) ?? 0) * weight + (maxSkew - 1);
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
