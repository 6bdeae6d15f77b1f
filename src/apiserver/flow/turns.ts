/**
 * The part of each turn of the event loop that requests may use: a request that comes while it lasts begins at once.
 * Other requests wait, and one of them begins in each turn.
 */
import { type Clock, systemClock } from "../../base/index.js";

/** Sockets are read between two turns, so a request waits about this long before it can take its place in the fair order. */
const sliceMs = 1;

export interface RequestTurns {
  /** True once the requests of this turn have used it up. */
  isOver(now: number): boolean;
  /** Calls back in the next turn. */
  next(run: () => void): void;
}

/** Time does not pass on other clocks while work is done, so their turns have no end. */
export const requestTurnsOf = (clock: Clock): RequestTurns => (clock === systemClock ? createRequestTurns() : endless);

const endless: RequestTurns = { isOver: () => false, next: (run) => run() };

/** Invariant: `endsAt` is undefined between turns; while it is not, one setImmediate is pending. */
function createRequestTurns(): RequestTurns {
  let endsAt: number | undefined;
  return {
    isOver(now) {
      if (endsAt !== undefined) return now >= endsAt;
      endsAt = now + sliceMs;
      setImmediate(() => {
        endsAt = undefined;
      });
      return false;
    },
    next: (run) => void setImmediate(run),
  };
}
