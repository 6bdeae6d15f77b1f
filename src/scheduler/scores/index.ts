/** scores: rate the fitting nodes. */
import { imageScore } from "./image-score.js";
import { balancedScore, leastAllocatedScore, nodeAffinityScore, taintScore } from "./node-scores.js";
import { podAffinityScore } from "./pod-affinity-score.js";
import type { Score } from "./score.js";
import { spreadScore } from "./spread-score.js";

export const defaultScores: readonly Score[] = [
  taintScore,
  nodeAffinityScore,
  leastAllocatedScore,
  spreadScore,
  podAffinityScore,
  balancedScore,
  imageScore,
];
