/** Reads values of a file that may have anything in their place: texts and numbers of a bounded size. Pure. */

const longestText = 2_000;
const mostTexts = 200;

/** A text for people, whatever the file has in its place. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, longestText) : typeof value === "number" ? String(value) : "";

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.slice(0, mostTexts).map(textOf) : [];

export const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
