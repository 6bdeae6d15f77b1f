/** A clock for tests of work in slices: whether a slice is used up depends on the steps taken, not on the machine. */
import { type Clock, systemClock } from "../src/base/index.js";

/** The system's clock, whose monotonic time moves by a millisecond whenever it is read: work takes time here. */
export function busyClock(): Clock {
  let nowMs = 0;
  return { ...systemClock, monotonic: () => nowMs++ };
}
