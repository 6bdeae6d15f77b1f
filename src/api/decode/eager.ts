/** Parses a small JSON value out of bytes, with interned strings. Takes bytes; serves the lazy decoder for metadata. */
import type { StringTable } from "./intern.js";
import { skipSpace, skipString, skipValue, unsure } from "./skip.js";

const quote = 0x22;

const nothing = Buffer.alloc(0);

/** Deeper nesting than any metadata has is left to JSON.parse. */
const deepest = 50;

/** Thrown where only JSON.parse should judge: the caller then gives it the whole. */
export class UnsureError extends Error {
  override readonly name = "UnsureError";
}

/** Names of values that differ from object to object, so that looking for an equal one is in vain. */
const unique: ReadonlySet<string> = new Set(["name", "uid", "resourceVersion"]);

/**
 * Reads one value after another; `at` moves along. The result is what JSON.parse gives for the same bytes, but for `skipped`:
 * a property of the outermost object that is left out.
 */
export class EagerReader {
  readonly #strings: StringTable;
  #bytes: Buffer = nothing;
  at = 0;
  #depth = 0;

  constructor(strings: StringTable) {
    this.#strings = strings;
  }

  /** Begins anew, with other bytes. Nothing is kept of the old ones. */
  begin(bytes: Buffer, at: number): void {
    this.#bytes = bytes;
    this.at = at;
    this.#depth = 0;
  }

  /** Lets go of the bytes. */
  end(): void {
    this.#bytes = nothing;
  }

  /** The object at `at`, without the property `skipped`. */
  objectWithout(skipped: string): Record<string, unknown> {
    return this.#object(skipped);
  }

  value(key: string): unknown {
    const bytes = this.#bytes;
    const at = skipSpace(bytes, this.at);
    this.at = at;
    switch (bytes[at]) {
      case quote:
        return this.string(!unique.has(key));
      case 0x7b:
        return this.#object(undefined);
      case 0x5b:
        return this.#array(key);
      default:
        return this.#scalar();
    }
  }

  /** The string whose opening quote is at `at`. */
  string(isRepeated: boolean): string {
    const bytes = this.#bytes;
    const start = this.at + 1;
    let at = start;
    let byte = bytes[at] as number;
    while (byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== 0x5c) byte = bytes[++at] as number;
    if (byte === quote) {
      this.at = at + 1;
      return isRepeated ? this.#strings.get(bytes, start, at) : bytes.toString("latin1", start, at);
    }
    const end = skipString(bytes, at);
    if (end === unsure) throw new UnsureError();
    this.at = end;
    return JSON.parse(bytes.toString("utf8", start - 1, end)) as string;
  }

  #object(skipped: string | undefined): Record<string, unknown> {
    const bytes = this.#bytes;
    const object: Record<string, unknown> = {};
    this.#descend();
    this.at = skipSpace(bytes, this.at + 1);
    if (bytes[this.at] === 0x7d) {
      this.at += 1;
      this.#depth -= 1;
      return object;
    }
    for (;;) {
      if (bytes[this.at] !== quote) throw new UnsureError();
      const key = this.string(true);
      if (bytes[this.at] !== 0x3a) this.at = skipSpace(bytes, this.at);
      if (bytes[this.at] !== 0x3a || key === "__proto__") throw new UnsureError();
      this.at += 1;
      if (key === skipped) this.#skip();
      else object[key] = this.value(key);
      if (!this.#more(0x7d)) return object;
    }
  }

  #array(key: string): unknown[] {
    const bytes = this.#bytes;
    const array: unknown[] = [];
    this.#descend();
    this.at = skipSpace(bytes, this.at + 1);
    if (bytes[this.at] === 0x5d) {
      this.at += 1;
      this.#depth -= 1;
      return array;
    }
    do array.push(this.value(key));
    while (this.#more(0x5d));
    return array;
  }

  /** Behind a value: moves to the next one, or behind the closing byte. */
  #more(closing: number): boolean {
    const bytes = this.#bytes;
    let at = this.at;
    let byte = bytes[at];
    if (byte !== 0x2c && byte !== closing) {
      at = skipSpace(bytes, at);
      byte = bytes[at];
    }
    if (byte === closing) {
      this.at = at + 1;
      this.#depth -= 1;
      return false;
    }
    if (byte !== 0x2c) throw new UnsureError();
    this.at = skipSpace(bytes, at + 1);
    return true;
  }

  #descend(): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw new UnsureError();
  }

  #skip(): void {
    const end = skipValue(this.#bytes, this.at);
    if (end === unsure) throw new UnsureError();
    this.at = end;
  }

  #scalar(): unknown {
    const start = this.at;
    this.#skip();
    return JSON.parse(this.#bytes.toString("latin1", start, this.at));
  }
}
