/** Long work as a generator that yields wherever it may be interrupted, so that it can run at once or in slices. */
import { type Cooperative, cooperative, type CooperativeOptions } from "./cooperative.js";

export type Steps<T> = Generator<void, T, void>;

/** Steps that may also wait: a promise that they yield is awaited before the next step. */
export type WaitingSteps<T> = Generator<void | Promise<void>, T, void>;

/** Runs all steps now. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs the steps in slices, between which other work runs. */
export async function inSlices<T>(steps: Steps<T>, options: CooperativeOptions = {}): Promise<T> {
  return await runWithin(cooperative(options), steps);
}

/** Runs the steps now, as far as the slice goes: gives a promise only if they pause or wait. */
export function runWithin<T>(slice: Cooperative, steps: WaitingSteps<T>): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value instanceof Promise) return step.value.then(() => runWithin(slice, steps));
    if (slice.due()) return slice.pause().then(() => runWithin(slice, steps));
  }
}
