/** Prefers nodes near the pods that this pod, or they, prefer to be near; and far from the ones that they prefer to avoid. */
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import { type PodInfo, type Term, termMatches } from "../state/pod-info.js";
import { maxScore, type Score } from "./score.js";

export interface PodAffinityRating {
  /** The weight of a placed pod that requires this pod's company. */
  readonly requiredWeight: number;
  /** Whether the terms of placed pods count only for pods with preferences of their own. */
  readonly ignoresOthers: boolean;
}

export const podAffinityScore = (
  { requiredWeight, ignoresOthers }: PodAffinityRating = { requiredWeight: 1, ignoresOthers: false },
): Score => ({
  name: "InterPodAffinity",
  weight: 2,
  prepare(info, view) {
    const { preferred = [], preferredAnti = [] } = info.affinities ?? {};
    const own = preferred.length > 0 || preferredAnti.length > 0;
    if (!own && (ignoresOthers || view.podsWithAffinity === 0)) return undefined;
    const sums = sumsOf(info, view, { own, requiredWeight });
    if (sums.size === 0) return undefined;
    return {
      rate(node) {
        let sum = 0;
        for (const [key, values] of sums) {
          const value = node.labels[key];
          if (value !== undefined) sum += values.get(value) ?? 0;
        }
        return sum;
      },
      normalise(raw) {
        const least = Math.min(...raw);
        const range = Math.max(...raw) - least;
        // rounded as Go's floating-point division: 29/50 of 100 is 57
        return raw.map((value) => (range === 0 ? 0 : Math.trunc(maxScore * ((value - least) / range))));
      },
    };
  },
});

type Sums = Map<string, Map<string, number>>;

interface Summing {
  /** Whether the pod has preferences of its own. */
  readonly own: boolean;
  readonly requiredWeight: number;
}

function sumsOf(info: PodInfo, view: ClusterView, { own, requiredWeight }: Summing): Sums {
  const sums: Sums = new Map();
  const add = (term: Term, { labels }: NodeInfo, weight: number): void => {
    const value = labels[term.topologyKey];
    if (value === undefined) return;
    const values = sums.get(term.topologyKey) ?? new Map<string, number>();
    sums.set(term.topologyKey, values);
    values.set(value, (values.get(value) ?? 0) + weight);
  };
  const { preferred = [], preferredAnti = [] } = info.affinities ?? {};
  for (const node of view.nodes) {
    for (const other of own ? node.pods.values() : node.withAffinity) {
      for (const term of preferred) if (termMatches(term, other, view)) add(term, node, term.weight);
      for (const term of preferredAnti) if (termMatches(term, other, view)) add(term, node, -term.weight);
      const theirs = other.affinities;
      if (theirs === undefined) continue;
      for (const term of requiredWeight > 0 ? theirs.required : []) {
        if (termMatches(term, info, view)) add(term, node, requiredWeight);
      }
      for (const term of theirs.preferred) if (termMatches(term, info, view)) add(term, node, term.weight);
      for (const term of theirs.preferredAnti) {
        if (termMatches(term, info, view)) add(term, node, -term.weight);
      }
    }
  }
  return sums;
}
