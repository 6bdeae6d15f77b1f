/** The oracles: defaults for every operator, and the user's own invariants. */
import {
  boundedWrites,
  converges,
  noDeadLetter,
  noHotLoop,
  noOrphans,
  nothingFails,
  restsWhenDone,
  sameEnd,
  scenarioEnds,
  staysAlive,
  touchesNobodyElse,
} from "./defaults.js";
import type { Oracle } from "../oracle.js";

export { always, type Check, eventually, never } from "./invariants.js";

/** In the order in which a failure is told: the first that complains names it. */
export const defaultOracles: readonly Oracle[] = [
  scenarioEnds,
  converges,
  sameEnd,
  noOrphans,
  noDeadLetter,
  nothingFails,
  noHotLoop,
  restsWhenDone,
  boundedWrites,
  touchesNobodyElse,
  staysAlive,
];
