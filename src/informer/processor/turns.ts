/** Shares the event loop among all process loops and listeners: one of them works at a time, for one slice per turn. */
import { type Clock, Ring } from "../../base/index.js";

/** How long work may go on before sockets and timers get their turn. */
const sliceMs = 5;

/**
 * For the body of a long loop: `if (turns.due()) await turns.pause();`. However many loops there are, between two turns of
 * the event loop only one slice's worth of work is done, by whoever has waited longest.
 */
export interface Turns {
  /** True once the slice of this turn is used up. Costs a reading of the clock, unless the caller has just done that. */
  due(nowMs?: number): boolean;
  /** Waits for a turn of one's own. */
  pause(): Promise<void>;
}

const turnsByClock = new WeakMap<Clock, Turns>();

/** There is one event loop, so there is one `Turns` for all who use the same clock. */
export function turnsOf(clock: Clock): Turns {
  let turns = turnsByClock.get(clock);
  if (turns === undefined) {
    turns = createTurns(clock);
    turnsByClock.set(clock, turns);
  }
  return turns;
}

function createTurns(clock: Clock): Turns {
  const waiting = new Ring<() => void>();
  let sliceEndsMs = Number.NEGATIVE_INFINITY;
  let turnIsKnown = false;

  /** The slice begins with the first work of a turn and ends with the turn, which setImmediate marks. */
  const beginSlice = (): void => {
    sliceEndsMs = clock.monotonic() + sliceMs;
    turnIsKnown = true;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    turnIsKnown = false;
    const next = waiting.shift();
    if (next === undefined) return;
    beginSlice();
    next();
  };
  return {
    due(nowMs = clock.monotonic()) {
      if (turnIsKnown) return nowMs >= sliceEndsMs;
      beginSlice();
      return false;
    },
    pause() {
      if (!turnIsKnown) beginSlice();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
