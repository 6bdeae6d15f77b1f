/** What is wrong with a value, as far as it is worth telling: a list of wrong items may be long. From the validation by schemas; to refusals. */
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

  /** Nobody needs to look further. */
  get full(): boolean {
    return this.causes.length > maxToldCauses || this.#characters > maxToldCharacters;
  }
}
