/** JSON text as an API server reads it: the same values as JSON.parse, but members that occur twice are seen, and errors are worded as Go does. */

export interface JsonText {
  readonly value: unknown;
  /** Paths of members that occur more than once in their object, `spec.containers[0].image`, once for each repetition. */
  readonly duplicates: readonly string[];
}

export class JsonSyntaxError extends Error {}

/** The careful reader is slow; it runs only where the fast one fails, or where members were lost between text and value. */
export function readJson(text: string): JsonText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // as upstream: something else may be wrong with the text in our eyes only
    return new CarefulReader(text).read();
  }
  if (membersInText(text) === membersInValue(value)) return { value, duplicates: [] };
  return new CarefulReader(text).read();
}

const quote = 34;
const backslash = 92;
const colon = 58;

/** Outside of strings a colon stands for exactly one member. */
function membersInText(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === colon) count++;
    else if (code === quote) {
      i = text.indexOf('"', i + 1);
      while (isEscaped(text, i)) i = text.indexOf('"', i + 1);
    }
  }
  return count;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

function membersInValue(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += membersInValue(item);
    return count;
  }
  for (const key of Object.keys(value)) count += 1 + membersInValue((value as Record<string, unknown>)[key]);
  return count;
}

const whitespace = /[ \t\r\n]*/y;
const stringToken = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /true|false|null/y;
const maxDepth = 10_000;

class CarefulReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #path: (string | number)[] = [];
  readonly #duplicates: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonText {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#unexpected("after top-level value");
    return { value, duplicates: this.#duplicates };
  }

  #value(): unknown {
    this.#skip();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      default: {
        const word = this.#token(wordToken);
        if (word !== undefined) return JSON.parse(word);
        const number = this.#token(numberToken);
        if (number !== undefined) return Number(number);
        throw this.#unexpected("looking for beginning of value");
      }
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw new JsonSyntaxError("exceeded max depth");
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#skip();
    if (this.#take("}")) return object;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      this.#skip();
      if (!this.#take(":")) throw this.#unexpected("after object key");
      this.#path.push(key);
      if (Object.hasOwn(object, key)) this.#duplicates.push(dottedPath(this.#path));
      const value = this.#value();
      this.#path.pop();
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      this.#skip();
      if (this.#take("}")) return object;
      if (!this.#take(",")) throw this.#unexpected("after object key:value pair");
    }
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#skip();
    if (this.#take("]")) return items;
    for (;;) {
      this.#path.push(items.length);
      items.push(this.#value());
      this.#path.pop();
      this.#skip();
      if (this.#take("]")) return items;
      if (!this.#take(",")) throw this.#unexpected("after array element");
    }
  }

  #string(): string {
    const token = this.#token(stringToken);
    if (token !== undefined) return JSON.parse(token) as string;
    this.#at++;
    while (this.#at < this.#text.length && /[ !#-[\]-\u{10ffff}]/u.test(this.#text[this.#at] as string)) this.#at++;
    if (this.#text[this.#at] !== "\\") throw this.#unexpected("in string literal");
    this.#at++;
    throw this.#unexpected("in string escape code");
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [token] = pattern.exec(this.#text) ?? [];
    if (token === undefined) return undefined;
    this.#at += token.length;
    return token;
  }

  #skip(): void {
    this.#token(whitespace);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #unexpected(where: string): JsonSyntaxError {
    const character = this.#text[this.#at];
    if (character === undefined) return new JsonSyntaxError("unexpected end of JSON input");
    const shown =
      character === "'" ? "'\\''" : character === '"' ? `'"'` : `'${JSON.stringify(character).slice(1, -1)}'`;
    return new JsonSyntaxError(`invalid character ${shown} ${where}`);
  }
}

/** `spec.containers[0].image` */
export function dottedPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}
