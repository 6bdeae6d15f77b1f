/**
 * The contract of scores. They are pure: prepared once for each pod, they rate single nodes; then all ratings are
 * brought to 0…100.
 */
import type { ClusterView } from "../state/cluster-state.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";

export const maxScore = 100;

export interface Score {
  readonly name: string;
  readonly weight: number;
  /** Whether a node's rating depends on nothing but the node and the `placementKey` of the pod, before `normalise`. */
  readonly isOfNode?: boolean;
  /** `feasible` are the nodes to choose from. Undefined if the score rates all of them the same. */
  prepare(pod: PodInfo, view: ClusterView, feasible: readonly NodeInfo[]): Rating | undefined;
}

export interface Rating {
  rate(node: NodeInfo): number;
  /** Turns raw ratings, one for each feasible node, into 0…100; absent if they are that already. */
  normalise?(raw: readonly number[]): readonly number[];
}

/** Scales so that the greatest becomes 100; reversed, it becomes 0. */
export function toMaximum(raw: readonly number[], options: { readonly reverse?: boolean } = {}): readonly number[] {
  const { reverse = false } = options;
  const greatest = Math.max(0, ...raw);
  if (greatest === 0) return reverse ? raw.map(() => maxScore) : raw;
  return raw.map((value) => {
    const scaled = Math.floor((maxScore * value) / greatest);
    return reverse ? maxScore - scaled : scaled;
  });
}
