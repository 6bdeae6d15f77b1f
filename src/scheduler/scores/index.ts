/** scores: rate the fitting nodes. */
import { imageScore } from "./image-score.js";
import { nodeAffinityScore, taintScore } from "./node-scores.js";
import { podAffinityScore } from "./pod-affinity-score.js";
import { balancedScore, leastAllocated, resourceScore } from "./resource-scores.js";
import type { Score } from "./score.js";
import { spreadScore } from "./spread-score.js";

export const defaultScores: readonly Score[] = [
  taintScore,
  nodeAffinityScore(),
  resourceScore(leastAllocated),
  spreadScore(),
  podAffinityScore(),
  balancedScore(),
  imageScore,
];
