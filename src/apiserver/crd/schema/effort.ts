/** Counts the steps of judging values by a schema, and ends the request that would take too many. */
import { newRequestEntityTooLarge } from "../../../api/index.js";

/** A long object by an ordinary schema takes a tenth of this. */
const maxSteps = 2_000_000;

/** A pattern looks at this many of its parts in the time of one step. */
const partsPerStep = 4;

/**
 * One for each object, or for all defaults of a definition: a schema and an object are both of limited size, but the
 * work may be their product (a list whose items are judged by many branches, or by a long pattern).
 */
export class Effort {
  #steps = 0;

  /** Throws 413 if the steps exceed the limit. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= maxSteps) return;
    throw newRequestEntityTooLarge(`its schema takes more than ${maxSteps} steps to judge it`);
  }

  /** For the parts of a pattern. */
  readonly onPattern = (parts: number): void => this.spend(parts / partsPerStep);
}
