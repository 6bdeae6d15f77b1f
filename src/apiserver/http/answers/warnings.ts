/** The warnings of one request, within a limit, because HTTP clients refuse long headers. */

/** Limit on the characters of all warnings. */
const maxCharacters = 4 * 1024;
/** Limit on the characters of each, once the total exceeds its limit. */
const maxEach = 256;

/**
 * Invariants:
 * 1. `#texts` are the warnings in the order in which they came, without duplicates.
 * 2. Once they have exceeded the limit they are cut short, and later ones are not kept.
 */
export class Warnings {
  readonly #texts = new Set<string>();
  #characters = 0;
  #cut = false;

  add(text: string): void {
    if (text === "" || this.#texts.has(text) || (this.#cut && this.#characters >= maxCharacters)) return;
    this.#keep(text);
    if (this.#cut || this.#characters <= maxCharacters) return;
    const whole = [...this.#texts];
    this.#texts.clear();
    this.#characters = 0;
    this.#cut = true;
    for (const one of whole) this.add(one);
  }

  #keep(text: string): void {
    const kept = this.#cut ? text.slice(0, maxEach) : text;
    this.#texts.add(kept);
    this.#characters += kept.length;
  }

  /** As the values of Warning headers. */
  headers(): readonly string[] {
    return Array.from(this.#texts, (text) => `299 - ${quoted(text)}`);
  }
}

/** Header values are one line of visible characters. */
function quoted(text: string): string {
  const visible = text.replace(/[^\t\x20-\x7e]/g, " ");
  return `"${visible.replace(/["\\]/g, "\\$&")}"`;
}
