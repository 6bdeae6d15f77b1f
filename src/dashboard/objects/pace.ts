/** Work on many objects in slices, so that a question of the page does not hold the event loop. */
import type { Turns } from "../../base/index.js";

/** The turns between which the work pauses, and the signal that ends it. */
export interface Pace {
  readonly turns: Turns;
  readonly signal: AbortSignal;
}

const itemsBetweenLooks = 64;

/** Visits one item after another. The collection may change between two items. Rejects with the signal's reason. */
export async function visitAll<T>(
  items: Iterable<T>,
  { turns, signal }: Pace,
  visit: (item: T) => void,
): Promise<void> {
  let seen = 0;
  for (const item of items) {
    visit(item);
    seen += 1;
    if (seen % itemsBetweenLooks !== 0 || !turns.due()) continue;
    await turns.pause();
    signal.throwIfAborted();
  }
}
