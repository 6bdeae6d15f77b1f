/** Bounds of sizes that are known before an expression runs. An upper bound may be infinite. */

export interface Size {
  readonly min: number;
  readonly max: number;
}

export const exactly = (size: number): Size => ({ min: size, max: size });
export const unknown: Size = { min: 0, max: Number.POSITIVE_INFINITY };

/** Zero times infinity is zero here, not NaN. */
export const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

export const sum = (a: Size, b: Size): Size => ({ min: a.min + b.min, max: a.max + b.max });
export const product = (a: Size, b: Size): Size => ({ min: times(a.min, b.min), max: times(a.max, b.max) });
/** The bounds of a value that has either size. */
export const union = (a: Size, b: Size): Size => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** The sizes of the items of a list, or of the keys and values of a map. */
export interface EntrySize {
  readonly kind: "list" | "map";
  readonly key: Size;
  readonly value: Size;
}

export function entryUnion(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) };
}
