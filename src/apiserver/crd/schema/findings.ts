/**
 * Collects the faults that schema validation finds, up to the number that a refusal lists: a list may have very many
 * wrong items.
 */
import { maxToldCauses, maxToldCharacters, type StatusCause } from "../../../api/status.js";

export class Findings {
  readonly causes: StatusCause[] = [];
  #characters = 0;

  push(...causes: readonly StatusCause[]): void {
    for (const cause of causes) {
      if (this.full) return;
      this.causes.push(cause);
      this.#characters += (cause.field ?? "").length + (cause.message ?? "").length;
    }
  }

  /** True when enough faults are known, so that validation can stop. */
  get full(): boolean {
    return this.causes.length > maxToldCauses || this.#characters > maxToldCharacters;
  }
}
