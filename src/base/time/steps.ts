/** Long work as a generator that yields wherever it may be interrupted, so that it can run at once or in slices. */
import { cooperative, type CooperativeOptions } from "./cooperative.js";

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
  const slice = cooperative(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.due()) await slice.pause();
  }
}
