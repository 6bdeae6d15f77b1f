/**
 * The part of each turn of the event loop that requests may use: a request that comes while it lasts begins at once.
 * Other requests wait, and a few of them begin in each turn.
 */
import { type Clock, systemClock } from "../../base/index.js";

/** Sockets are read between two turns, so a request waits about this long before it can take its place in the fair order. */
const sliceMs = 1;

export interface RequestTurns {
  /** True once the requests of this turn have used it up. */
  isOver(now: number): boolean;
  /** Calls back in the next turn, with the number of waiting requests that may begin in it. */
  next(run: (share: number) => void): void;
}

/** Time does not pass on other clocks while work is done, so their turns have no end. */
export const requestTurnsOf = (clock: Clock): RequestTurns => (clock === systemClock ? createRequestTurns() : endless);

const endless: RequestTurns = { isOver: () => false, next: (run) => run(1) };

/** With fewer requests a turn costs more than they do: it reads the sockets, and sends each answer by itself. */
const smallestShare = 4;
const largestShare = 32;

/**
 * Invariants:
 * 1. `endsAt` is undefined between turns; while it is not, one setImmediate is pending.
 * 2. `share` grows by one with each turn that lasted no longer than a slice, and is halved by each longer one.
 */
function createRequestTurns(): RequestTurns {
  let endsAt: number | undefined;
  let [share, beganAt] = [smallestShare, 0];
  const nextShare = (): number => {
    const now = systemClock.monotonic();
    share = now - beganAt <= sliceMs ? Math.min(share + 1, largestShare) : Math.max(share >> 1, smallestShare);
    beganAt = now;
    return share;
  };
  return {
    isOver(now) {
      if (endsAt !== undefined) return now >= endsAt;
      endsAt = now + sliceMs;
      setImmediate(() => {
        endsAt = undefined;
      });
      return false;
    },
    next: (run) => void setImmediate(() => run(nextShare())),
  };
}
