/** Shares the event loop among loops and requests that work for long: one of them works at a time, for one slice per turn. */
import { Ring } from "../containers/ring.js";
import { type Clock, systemClock } from "./clock.js";
import type { Cooperative } from "./cooperative.js";

/**
 * The time after which sockets and timers get their turn; the streams that bring the work have a slice of their own. In
 * a process that is busy with other work, turns are long, and a slice is a share of them: else the loops would get a
 * smaller part of the process the busier it is, and fall behind for good.
 */
const leastSliceMs = 1;
const mostSliceMs = 8;
const shareOfTurn = 0.25;

/**
 * For the body of a long loop: `if (turns.due()) await turns.pause();`. However many loops there are, only one slice of
 * work is done between two turns of the event loop, by the loops that have waited longest.
 */
export interface Turns {
  /** True once the slice of this turn is used up. Costs a reading of the clock, unless the caller passes the time. */
  due(nowMs?: number): boolean;
  /** Waits for the caller's turn. */
  pause(): Promise<void>;
}

/**
 * Never due: for work that is short by nature, and for clocks other than the system's, whose time does not pass while
 * work is done.
 */
export const uninterrupted: Turns = { due: () => false, pause: () => Promise.resolve() };

/** There is one event loop, so all users of the system's clock share one `Turns`. */
export function turnsOf(clock: Clock): Turns {
  return clock === systemClock ? systemTurns : uninterrupted;
}

/** `turnsOf` for a clock of the caller's: for tests. */
export function createTurns(clock: Pick<Clock, "monotonic">): Turns {
  const waiting = new Ring<() => void>();
  let sliceMs = leastSliceMs;
  let sliceBeganMs = Number.NEGATIVE_INFINITY;
  let sliceEndsMs = Number.NEGATIVE_INFINITY;
  let turnIsKnown = false;

  /** The slice begins with the first work of a turn and ends with the turn, which setImmediate marks. */
  const beginSlice = (): void => {
    sliceBeganMs = clock.monotonic();
    sliceEndsMs = sliceBeganMs + sliceMs;
    turnIsKnown = true;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    turnIsKnown = false;
    const turnMs = clock.monotonic() - sliceBeganMs;
    sliceMs = Math.min(mostSliceMs, Math.max(leastSliceMs, turnMs * shareOfTurn));
    if (waiting.length === 0) return;
    beginSlice();
    serve();
  };
  /** Wakes the loop that has waited longest, and the next one if it has left some of the slice. */
  const serve = (): void => {
    const next = waiting.shift();
    if (next === undefined) return;
    next();
    queueMicrotask(() => {
      if (clock.monotonic() < sliceEndsMs) serve();
    });
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

const systemTurns: Turns = createTurns(systemClock);

/**
 * For work that is seldom long, such as a request: it pauses only once it has itself worked for this long, however busy
 * the turn is, and then takes its place behind all others that wait.
 */
export function sliceAmong(
  turns: Turns,
  { clock, sliceMs }: { readonly clock: Clock; readonly sliceMs: number },
): Cooperative {
  let endsMs = clock.monotonic() + sliceMs;
  return {
    due: () => clock.monotonic() >= endsMs,
    async pause() {
      await turns.pause();
      endsMs = clock.monotonic() + sliceMs;
    },
  };
}
