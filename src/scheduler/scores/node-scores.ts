/** Scores of single nodes: free resources, balance, and the pod's preferences. */
import type { PodInfo } from "../state/pod-info.js";
import type { NodeInfo } from "../state/node-info.js";
import { nodeSelectorTerm, tolerates } from "../../api/index.js";
import { maxScore, type Score, toMaximum } from "./score.js";

export const leastAllocatedScore: Score = {
  name: "NodeResourcesFit",
  weight: 1,
  prepare: ({ requestsForScore }) => ({
    rate({ allocatable, requestedForScore }) {
      const cpu = freeShare(requestedForScore.cpu + requestsForScore.cpu, allocatable.cpu);
      const memory = freeShare(requestedForScore.memory + requestsForScore.memory, allocatable.memory);
      if (cpu === undefined || memory === undefined) return cpu ?? memory ?? 0;
      return Math.floor((cpu + memory) / 2);
    },
  }),
};

/** 0…100; undefined if the node has none of the resource. */
function freeShare(requested: number, capacity: number): number | undefined {
  if (capacity === 0) return undefined;
  return requested > capacity ? 0 : Math.floor(((capacity - requested) * maxScore) / capacity);
}

/** Prefers nodes on which cpu and memory are then used to about the same degree. */
export const balancedScore: Score = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  prepare({ requests }) {
    if (requests.cpu === 0 && requests.memory === 0) return undefined;
    return {
      rate(node) {
        const change = balance(node, requests) - balance(node, { cpu: 0, memory: 0 });
        return maxScore / 2 + Math.trunc((maxScore / 2 + change) / 2);
      },
    };
  },
};

function balance({ allocatable, requested }: NodeInfo, more: Pick<PodInfo["requests"], "cpu" | "memory">): number {
  if (allocatable.cpu === 0 || allocatable.memory === 0) return maxScore;
  const cpu = Math.min(1, (requested.cpu + more.cpu) / allocatable.cpu);
  const memory = Math.min(1, (requested.memory + more.memory) / allocatable.memory);
  return Math.trunc((1 - Math.abs(cpu - memory) / 2) * maxScore);
}

/** Prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. */
export const taintScore: Score = {
  name: "TaintToleration",
  weight: 3,
  prepare({ pod }, _view, feasible) {
    if (!feasible.some(({ taints }) => taints.some(({ effect }) => effect === "PreferNoSchedule"))) return undefined;
    const { tolerations } = pod.spec ?? {};
    return {
      rate: ({ taints }) =>
        taints.filter(
          (taint) => taint.effect === "PreferNoSchedule" && !tolerations?.some((one) => tolerates(one, taint)),
        ).length,
      normalise: (raw) => toMaximum(raw, { reverse: true }),
    };
  },
};

export const nodeAffinityScore: Score = {
  name: "NodeAffinity",
  weight: 2,
  prepare({ pod }) {
    const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (terms.length === 0) return undefined;
    const preferences = terms.map(({ weight, preference }) => ({ weight, matches: nodeSelectorTerm(preference) }));
    return {
      rate: ({ node }) =>
        preferences.reduce((sum, { weight, matches }) => (node !== undefined && matches(node) ? sum + weight : sum), 0),
      normalise: (raw) => toMaximum(raw),
    };
  },
};
