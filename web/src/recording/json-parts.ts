/** Walks over a long JSON text without parsing it as a whole: gives the bounds of members and items, in slices of work. Pure but for its pauses. */

/** Called after each slice of work; the walk goes on when it resolves. */
export type Pause = () => Promise<void>;

/** Characters between two looks at whether a pause is due. */
const slice = 200_000;

/**
 * The walk over one text. A text that is not JSON makes it throw a SyntaxError with the place.
 *
 * Invariant: `#at` is the place of the next character that was not read, and never goes back.
 */
export class JsonWalk {
  readonly #text: string;
  readonly #pause: Pause;
  #at = 0;
  #pausedAt = 0;

  constructor(text: string, pause: Pause) {
    this.#text = text;
    this.#pause = pause;
  }

  /** The next character that is no space, without reading it; "" at the end. */
  peek(): string {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    return this.#text[this.#at] ?? "";
  }

  take(wanted: string): void {
    if (this.peek() !== wanted) throw this.#error(`“${wanted}” was expected`);
    this.#at += 1;
  }

  /** Reads over one value, and gives its text. */
  async value(): Promise<string> {
    this.peek();
    const begin = this.#at;
    let depth = 0;
    do {
      if (this.#at - this.#pausedAt > slice) {
        this.#pausedAt = this.#at;
        await this.#pause();
      }
      const next = this.#text[this.#at];
      if (next === undefined) throw this.#error("the text ends within a value");
      if (next === '"') this.#string();
      else {
        if (next === "{" || next === "[") depth += 1;
        else if (next === "}" || next === "]") depth -= 1;
        else if (depth === 0) return this.#scalar(begin);
        this.#at += 1;
      }
    } while (depth > 0);
    if (depth < 0) throw this.#error("a value was expected");
    return this.#text.slice(begin, this.#at);
  }

  /** Calls `take` before each member of the object or item of the list that comes next; it must read it whole. */
  async each(open: "{" | "[", take: () => Promise<void>): Promise<void> {
    const close = open === "{" ? "}" : "]";
    this.take(open);
    while (this.peek() !== close) {
      await take();
      if (this.peek() !== close) this.take(",");
    }
    this.take(close);
  }

  #string(): void {
    for (let end = this.#at; ; ) {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw this.#error("the text ends within a string");
      let escapes = 0;
      while (this.#text[end - 1 - escapes] === "\\") escapes += 1;
      if (escapes % 2 === 1) continue;
      this.#at = end + 1;
      return;
    }
  }

  #scalar(begin: number): string {
    while (/[^\s,\]}]/.test(this.#text[this.#at] ?? ",")) this.#at += 1;
    if (this.#at === begin) throw this.#error("a value was expected");
    return this.#text.slice(begin, this.#at);
  }

  #error(why: string): SyntaxError {
    return new SyntaxError(`not JSON at character ${this.#at}: ${why}`);
  }
}
