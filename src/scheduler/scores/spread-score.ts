/**
 * Prefers nodes and zones with fewer similar pods: by the pod's constraints or, without any, by the pods of its
 * controller or services.
 */
import {
  type DefaultSpreads,
  hasKeys,
  hasOwnSpreads,
  type Spread,
  spreadsOf,
  systemSpreads,
} from "../filters/spreads.js";
import type { NodeInfo } from "../state/node-info.js";
import { maxScore, type Score } from "./score.js";

const hostname = "kubernetes.io/hostname";

export const spreadScore = (defaults: DefaultSpreads = systemSpreads): Score => ({
  name: "PodTopologySpread",
  weight: 2,
  prepare(info, view, feasible) {
    const spreads = spreadsOf(info, { view, when: "ScheduleAnyway", defaults });
    if (spreads.length === 0) return undefined;
    const needsAll = hasOwnSpreads(info.pod) || !defaults.acceptsMissingLabels;
    const isRated = ({ labels }: NodeInfo): boolean => !needsAll || hasKeys(labels, spreads);
    const rated = feasible.filter(isRated);
    const counting = ({ known }: Spread): readonly NodeInfo[] => {
      const holders = known === undefined ? view.nodes : [...known.keys()];
      return needsAll ? holders.filter(isRated) : holders;
    };
    const parts = spreads.map((spread) => partOf(spread, rated, () => counting(spread)));
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
});

function partOf(
  { topologyKey, maxSkew, matching, counts }: Spread,
  rated: readonly NodeInfo[],
  counting: () => readonly NodeInfo[],
): (node: NodeInfo) => number {
  const skew = maxSkew - 1;
  if (topologyKey === hostname) {
    const weight = Math.log(rated.length + 2);
    return (node) => (node.labels[topologyKey] === undefined ? 0 : matching(node) * weight + skew);
  }
  if (rated.every(({ labels }) => labels[topologyKey] === undefined)) return () => 0;
  // nodes without the label form a domain of their own, by which no node is rated
  const domains = new Map(rated.map(({ labels }) => [labels[topologyKey] ?? "", 0]));
  for (const node of counting()) {
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
