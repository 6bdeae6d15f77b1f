/** Whether this thread has time for work that can wait. For programs that put off what nobody waits for. */
import { performance } from "node:perf_hooks";

/** A verdict needs so much time to judge by. */
const judgedByMs = 10;
/** A loop that rests for a smaller part of the time has work in hand. */
const restful = 0.05;

interface Spent {
  /** Milliseconds in which the loop waited for something to do. */
  readonly idle: number;
  readonly active: number;
}

/**
 * Says true while the event loop hardly ever waits for something to do. Other programs make no difference: a loop that has
 * nothing to do rests, however busy the machine is.
 */
export function eventLoopLoad(read: () => Spent = () => performance.eventLoopUtilization()): () => boolean {
  let last = read();
  let isBusy = false;
  return () => {
    const now = read();
    const idle = now.idle - last.idle;
    const ms = idle + now.active - last.active;
    if (ms >= judgedByMs) {
      isBusy = idle < restful * ms;
      last = now;
    }
    return isBusy;
  };
}
