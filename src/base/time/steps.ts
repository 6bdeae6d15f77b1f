/** Long work as a generator that yields wherever it may be interrupted, so that it can run at once or in slices. */
import { type Cooperative, cooperative, type CooperativeOptions } from "./cooperative.js";

export type Steps<T> = Generator<void, T, void>;

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

/** Runs the steps now, as far as the slice goes: gives a promise only if they pause. */
export function runWithin<T>(slice: Cooperative, steps: Steps<T>): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.due()) return slice.pause().then(() => runWithin(slice, steps));
  }
}
