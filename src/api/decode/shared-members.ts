/**
 * Takes the text of a section; gives its value, of which equal members are one value in all objects: pods of a template
 * have the same containers, volumes and tolerations.
 */
import { openBrace, openBracket } from "./punctuation.js";
import { type Cursor, readKey, toNextKey, UnsureError } from "./read.js";
import { SeenValues } from "./seen-values.js";
import { skipValue, unsure } from "./skip.js";

/** The most bytes of a list of containers that are looked up. */
const longestList = 4096;

export class SharedMembers {
  readonly #lists = new SeenValues(longestList);
  readonly #scalars = new SeenValues();

  /** The value at `start`, which is valid JSON, without null members; undefined if JSON.parse should read it. */
  at(bytes: Buffer, start: number): object | undefined {
    const cursor: Cursor = { bytes, at: start };
    const object: Record<string, unknown> = {};
    try {
      for (let isFirst = true; toNextKey(cursor, isFirst); isFirst = false) {
        const key = readKey(cursor, this.#scalars);
        const from = cursor.at;
        cursor.at = skipValue(bytes, from);
        if (cursor.at === unsure || key in object) return undefined;
        const isList = bytes[from] === openBrace || bytes[from] === openBracket;
        const value = (isList ? this.#lists : this.#scalars).get(bytes, from, cursor.at);
        if (value !== null) object[key] = value;
      }
    } catch (error) {
      if (!(error instanceof UnsureError)) throw error;
      return undefined;
    }
    return object;
  }
}

/** Whether the section holds the content of a template, from which thousands of objects are made. */
export const isTemplated = (object: { readonly kind?: unknown; readonly apiVersion?: unknown }, key: string): boolean =>
  key === "spec" && object.kind === "Pod" && object.apiVersion === "v1";
