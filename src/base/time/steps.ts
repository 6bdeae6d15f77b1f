/** Long work that can be done at once or a little at a time: a generator that yields wherever it may be interrupted. */
import { cooperative, type CooperativeOptions } from "./cooperative.js";

export type Steps<T> = Generator<void, T, void>;

/** All of it now. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** In slices, between which others get their turn. */
export async function inSlices<T>(steps: Steps<T>, options: CooperativeOptions = {}): Promise<T> {
  const slice = cooperative(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.due()) await slice.pause();
  }
}
