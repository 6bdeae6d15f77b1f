/**
 * Lets a program run on any Clock: on a FakeClock, time waits for the program's operations, and its stops do not wait
 * for time.
 */
import { type Clock, sleepOn, type Timer } from "./clock.js";
import { FakeClock, type Operation } from "./fake-clock.js";

/**
 * Waits for the promise; on a FakeClock, lets time pass if the promise waits for it. For stops, whose patience is
 * measured in time.
 */
export function settledOn<T>(clock: Clock, promise: Promise<T>): Promise<T> {
  return clock instanceof FakeClock ? clock.passUntil(promise) : promise;
}

/** An operation on a FakeClock; undefined on other clocks, whose time waits for nothing. */
export function operationOn(clock: Clock): Operation | undefined {
  return clock instanceof FakeClock ? clock.operation() : undefined;
}

/**
 * The same clock for the operation's own code: while it has a timer set, the operation waits for time and not time for
 * the operation.
 */
export function clockOf(operation: Operation, clock: Clock): Clock {
  const timer = (ms: number, callback: () => void): Timer => {
    const waiting = operation.waiting();
    const set = clock.timer(ms, () => {
      waiting[Symbol.dispose]();
      callback();
    });
    return {
      [Symbol.dispose]() {
        set[Symbol.dispose]();
        waiting[Symbol.dispose]();
      },
    };
  };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    during: (work) => clock.during(work),
    sleep: (ms, signal) => sleepOn({ timer }, ms, signal),
    timer,
  };
}
