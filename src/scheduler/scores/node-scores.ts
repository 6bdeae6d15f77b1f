/** Scores of single nodes: their taints, and the pod's preferences. */
import { nodeSelectorTerm, type PreferredSchedulingTerm, tolerates } from "../../api/index.js";
import { type Score, toMaximum } from "./score.js";

/** Prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. */
export const taintScore: Score = {
  name: "TaintToleration",
  weight: 3,
  isOfNode: true,
  prepare({ pod }) {
    const { tolerations } = pod.spec ?? {};
    return {
      rate({ taints }) {
        let avoided = 0;
        for (const taint of taints) {
          if (taint.effect === "PreferNoSchedule" && !tolerations?.some((one) => tolerates(one, taint))) avoided++;
        }
        return avoided;
      },
      normalise: (raw) => toMaximum(raw, { reverse: true }),
    };
  },
};

/** `added` are preferences of all pods, besides their own. */
export const nodeAffinityScore = (added: readonly PreferredSchedulingTerm[] = []): Score => ({
  name: "NodeAffinity",
  weight: 2,
  isOfNode: true,
  prepare({ pod }) {
    const own = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [...added, ...own];
    if (terms.length === 0) return undefined;
    const preferences = terms.map(({ weight, preference }) => ({ weight, matches: nodeSelectorTerm(preference) }));
    return {
      rate: ({ node }) =>
        preferences.reduce((sum, { weight, matches }) => (node !== undefined && matches(node) ? sum + weight : sum), 0),
      normalise: (raw) => toMaximum(raw),
    };
  },
});
