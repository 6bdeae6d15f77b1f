/** Takes the bytes of an object's metadata; gives the metadata, without managedFields and null members. */
import { type Cursor, plainStringEnd, readKey, toNextKey, UnsureError } from "./read.js";
import type { SeenValues } from "./seen-values.js";
import { skipValue, unsure } from "./skip.js";
import { closeBracket, openBracket } from "./punctuation.js";

export type Metadata = Record<string, unknown>;

/** Moves the cursor from the opening brace behind the closing one. Objects in readonly metadata are shared, and frozen. */
export function readMetadata(cursor: Cursor, seen: SeenValues, isReadonly: boolean): Metadata {
  const metadata: Metadata = {};
  for (let isFirst = true; toNextKey(cursor, isFirst); isFirst = false) {
    const key = readKey(cursor, seen);
    if (key in metadata) throw new UnsureError();
    const { bytes, at: start } = cursor;
    if (key === "managedFields") {
      cursor.at = sure(managedFieldsEnd(bytes, start));
    } else if (key === "name" || key === "uid" || key === "resourceVersion") {
      // these values are particular to each object
      cursor.at = plainStringEnd(bytes, start);
      metadata[key] = bytes.toString("latin1", start + 1, cursor.at - 1);
    } else {
      cursor.at = sure(skipValue(bytes, start));
      const value = seen.get(bytes, start, cursor.at);
      if (value !== null) metadata[key] = isReadonly ? value : structuredCopy(value);
    }
  }
  return metadata;
}

/**
 * The position behind the first closing bracket. Managed fields contain no arrays, so it is theirs. If it is not,
 * because it stands in a string or ends an inner array, the rest of the object has a quote or a bracket too many, which
 * the caller finds. Managed fields are a third of an object's text, and are never shown: nothing more is checked.
 */
function managedFieldsEnd(bytes: Buffer, start: number): number {
  if (bytes[start] !== openBracket) return skipValue(bytes, start);
  const last = bytes.indexOf(closeBracket, start);
  return last === -1 ? unsure : last + 1;
}

function sure(end: number): number {
  if (end === unsure) throw new UnsureError();
  return end;
}

/** A copy of JSON data that the reader may change. */
function structuredCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value)
    ? value.map(structuredCopy)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)]));
}
