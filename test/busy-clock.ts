/** A clock for tests of work in slices: the end of a slice depends on the steps taken, not on the machine. */
import { type Clock, systemClock } from "../src/base/index.js";

/** The system's clock, but its monotonic time moves by a millisecond at each reading. */
export function busyClock(): Clock {
  let nowMs = 0;
  return { ...systemClock, monotonic: () => nowMs++ };
}
