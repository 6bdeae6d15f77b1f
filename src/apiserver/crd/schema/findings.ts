/** Takes the faults that validation by a schema finds, and keeps as many as a refusal should list: a list may have many wrong items. */
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

  /** True when there are enough faults, and validation need not look further. */
  get full(): boolean {
    return this.causes.length > maxToldCauses || this.#characters > maxToldCharacters;
  }
}
