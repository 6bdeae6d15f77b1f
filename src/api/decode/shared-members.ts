/**
 * Takes the text of a section; gives its value, of which equal members are one value in all objects: pods of a template
 * have the same containers, volumes and tolerations, and pods that became ready together the same conditions.
 */
import { openBrace, openBracket } from "./punctuation.js";
import { type Cursor, readKey, toNextKey, UnsureError } from "./read.js";
import { parsed, SeenValues } from "./seen-values.js";
import { skipValue, unsure } from "./skip.js";

/** The most bytes of a list of containers that are looked up. */
const longestList = 4096;

export class SharedMembers {
  readonly #lists = new SeenValues(longestList);
  readonly #scalars = new SeenValues();

  /**
   * The value at `start`, which is valid JSON, without null members; undefined if JSON.parse should read it. `repeats`
   * tells which members are looked up.
   */
  at(bytes: Buffer, start: number, repeats: Repeats): object | undefined {
    const cursor: Cursor = { bytes, at: start };
    const object: Record<string, unknown> = {};
    try {
      for (let isFirst = true; toNextKey(cursor, isFirst); isFirst = false) {
        const key = readKey(cursor, this.#scalars);
        const from = cursor.at;
        cursor.at = skipValue(bytes, from);
        if (cursor.at === unsure || key in object) return undefined;
        const value = this.#value(bytes, from, { end: cursor.at, isLookedUp: repeats === "all" || repeats.has(key) });
        if (value !== null) object[key] = value;
      }
    } catch (error) {
      if (!(error instanceof UnsureError)) throw error;
      return undefined;
    }
    return object;
  }

  #value(
    bytes: Buffer,
    from: number,
    { end, isLookedUp }: { readonly end: number; readonly isLookedUp: boolean },
  ): unknown {
    if (!isLookedUp) return parsed(bytes.toString("utf8", from, end));
    const isList = bytes[from] === openBrace || bytes[from] === openBracket;
    return (isList ? this.#lists : this.#scalars).get(bytes, from, end);
  }
}

/** The members of a section that repeat from object to object. */
type Repeats = "all" | ReadonlySet<string>;

const repeating: ReadonlyMap<unknown, ReadonlyMap<string, Repeats>> = new Map([
  [
    "Pod",
    new Map<string, Repeats>([
      // the content of a template, from which thousands of objects are made
      ["spec", "all"],
      ["status", new Set(["phase", "conditions", "hostIP", "hostIPs", "startTime", "qosClass"])],
    ]),
  ],
  [
    "Node",
    new Map([["status", new Set(["capacity", "allocatable", "conditions", "images", "features", "runtimeHandlers"])]]),
  ],
]);

/** The members of an object's section that thousands of others have as well; undefined if it has none. */
export const repeatsIn = (
  { kind, apiVersion }: { readonly kind?: unknown; readonly apiVersion?: unknown },
  section: string,
): Repeats | undefined => (apiVersion === "v1" ? repeating.get(kind)?.get(section) : undefined);
