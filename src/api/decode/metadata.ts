/** Takes the bytes of an object's metadata; gives the metadata, without managedFields and null members. */
import { type Cursor, plainStringEnd, readKey, toNextKey, UnsureError } from "./read.js";
import type { SeenValues } from "./seen-values.js";
import { skipValue, unsure } from "./skip.js";

export type Metadata = Record<string, unknown>;

const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The cursor moves from the opening brace behind the closing one. Objects in readonly metadata are shared, and frozen. */
export function readMetadata(cursor: Cursor, seen: SeenValues, isReadonly: boolean): Metadata {
  const metadata: Metadata = {};
  for (let isFirst = true; toNextKey(cursor, isFirst); isFirst = false) {
    const key = readKey(cursor, seen);
    if (key in metadata) throw new UnsureError();
    const { bytes, at: start } = cursor;
    if (key === "managedFields") {
      cursor.at = sure(managedFieldsEnd(bytes, start));
    } else if (key === "name" || key === "uid" || key === "resourceVersion") {
      // each object has its own
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
 * The position behind the first bracket that closes. Managed fields have no arrays within, so that it is theirs; if it is not, because
 * it stands in a string or ends an inner array, then the bytes that follow have a quote or a bracket too many up to the object's
 * end, and the caller finds that. They are a third of an object's text, and nobody will see them: nothing more is checked.
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

/** A copy of JSON that its owner may change. */
function structuredCopy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value)
    ? value.map(structuredCopy)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)]));
}
