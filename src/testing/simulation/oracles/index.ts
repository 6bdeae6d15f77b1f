/** The oracles: defaults for every operator, and the user's own invariants. */
import {
  boundedWrites,
  converges,
  noDeadLetter,
  noHotLoop,
  noOrphans,
  nothingFails,
  restsWhenDone,
  sameEitherWay,
  sameEnd,
  scenarioEnds,
  staysAlive,
  touchesNobodyElse,
} from "./defaults.js";
import { oneAtATime } from "./exclusion.js";
import { noLeaseLeaks, nothingStuck, noTimerLeaks, noUnhandledErrors } from "./leaks.js";
import { backsOff, harmsNobody, keepsData, keepsStill } from "./restraint.js";
import type { Oracle } from "../oracle.js";

export { always, type Check, eventually, never } from "./invariants.js";

/** In the order in which a failure is told: the first that complains names it. */
export const defaultOracles: readonly Oracle[] = [
  scenarioEnds,
  converges,
  sameEitherWay,
  sameEnd,
  harmsNobody,
  keepsData,
  oneAtATime,
  nothingStuck,
  noOrphans,
  noDeadLetter,
  nothingFails,
  noHotLoop,
  restsWhenDone,
  boundedWrites,
  keepsStill,
  backsOff,
  touchesNobodyElse,
  staysAlive,
  noUnhandledErrors,
  noLeaseLeaks,
  noTimerLeaks,
];
