/** What the metadata of many objects has in common, and whether other metadata has it too. Serves metadata.ts. */
import { deepFreeze } from "../compare/freeze.js";
import { standsAt } from "./read.js";
import { skipValue, unsure } from "./skip.js";

export type Metadata = Record<string, unknown>;

/** The values that each object has for itself; the numbers are their marks. */
export const ownKeys = ["name", "uid", "resourceVersion", "creationTimestamp"] as const;
/** The mark of managedFields, which are left out. */
export const cutMark: number = ownKeys.length;

/**
 * Be they pods of one owner or states of one object: everything but name, uid, revision and time of creation is the same. Texts
 * that are alike without these have the same keys in the same order, so that the second is a copy of the first with its own
 * four values. Strings and shape are shared; labels, annotations and owners too among objects that nobody changes.
 */
export interface Pattern {
  /** What is between the pieces of text, in order: own values and managedFields. */
  readonly marks: readonly number[];
  /** One more than there are marks. */
  readonly pieces: readonly Buffer[];
  readonly metadata: Metadata;
  /** The properties of it that are objects or arrays: frozen, and copied for whoever may change them. */
  readonly nested: readonly string[];
}

/** Where the own values of some metadata stand, by their marks, without quotes; only those that its pattern has are valid. */
export interface OwnValues {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Servers write it so; what is written otherwise is like nothing else. */
const managedFieldsKey: Buffer = Buffer.from(',"managedFields":');

/** The position behind the metadata that begins at `start`, with its own values found; -1 if it is not like the pattern. */
export function matchEnd(bytes: Buffer, start: number, pattern: Pattern, own: OwnValues): number {
  const { pieces, marks } = pattern;
  let at = start;
  for (let i = 0; i < marks.length; i++) {
    const piece = pieces[i] as Buffer;
    if (!standsAt(bytes, at, piece)) return -1;
    at += piece.length;
    const mark = marks[i] as number;
    const end = mark === cutMark ? cutEnd(bytes, at) : plainEnd(bytes, at);
    if (end === -1) return -1;
    own.starts[mark] = at;
    own.ends[mark] = end;
    at = end;
  }
  const last = pieces[marks.length] as Buffer;
  return standsAt(bytes, at, last) ? at + last.length : -1;
}

/** The end of an own value that stands for itself. */
function plainEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === quote) return at;
    if (!(byte > 0x1f && byte < 0x7f) || byte === backslash) return -1;
    at++;
  }
}

function cutEnd(bytes: Buffer, at: number): number {
  const start = at + managedFieldsKey.length;
  if (!standsAt(bytes, at, managedFieldsKey)) return -1;
  const end = endOfManagedFields(bytes, start);
  return end === unsure ? -1 : end;
}

/**
 * The first bracket that closes. Managed fields have no arrays within, so that it is theirs; if it is not, because it stands in a
 * string or ends an inner array, then what follows has a quote or a bracket too many up to the object's end, which the
 * caller finds. They are a third of an object's text, and nobody will see them: nothing more is checked.
 */
export function endOfManagedFields(bytes: Buffer, start: number): number {
  if (bytes[start] !== openBracket) return skipValue(bytes, start);
  const last = bytes.indexOf(closeBracket, start);
  return last === -1 ? unsure : last + 1;
}

/** Text from which something was left out at these places. Undefined if there is more in it than labels, finalizers, owners. */
export function patternOf(
  metadata: Metadata,
  {
    text,
    places,
    marks,
  }: { readonly text: Buffer; readonly places: readonly number[]; readonly marks: readonly number[] },
): Pattern | undefined {
  if (!isShallow(metadata)) return undefined;
  const nested = Object.keys(metadata).filter((key) => isNested(metadata[key]));
  const ends = [...places, text.length];
  const pieces = ends.map((end, i) => Buffer.from(text.subarray(ends[i - 1] ?? 0, end)));
  const common = copied(metadata, nested);
  for (const key of nested) deepFreeze(common[key]);
  return { marks: [...marks], pieces, metadata: common, nested };
}

/** A copy: what is given away may be changed by a transform. */
export function copied(metadata: Metadata, nested: readonly string[]): Metadata {
  const copy = { ...metadata };
  for (let i = 0; i < nested.length; i++) {
    const key = nested[i] as string;
    copy[key] = copyOf(metadata[key] as object);
  }
  return copy;
}

function copyOf(value: object): object {
  if (!Array.isArray(value)) return { ...value };
  return (value as unknown[]).map((item) => (isNested(item) ? { ...item } : item));
}

function isShallow(metadata: Metadata): boolean {
  return Object.values(metadata).every(
    (value) =>
      !isNested(value) ||
      (Array.isArray(value) ? (value as unknown[]).every((item) => !isNested(item) || isFlat(item)) : isFlat(value)),
  );
}

function isFlat(value: object): boolean {
  return !Array.isArray(value) && !Object.values(value).some(isNested);
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
