/** Sets of characters in the notation of Go's regular expressions, as tests on code points. */
import { lookup } from "../../../base/members.js";

export interface CharacterSet {
  /** A character class in JavaScript's notation, for the `v` flag. */
  readonly source: string;
  /** Whether case is ignored. */
  readonly fold: boolean;
  test(code: number): boolean;
}

/**
 * `items` is the inside of a JavaScript class, joined from results of `literal`, `range`, `perlClass` and the other
 * functions below.
 */
export function characterSet(
  items: string,
  { negated = false, fold = false }: { readonly negated?: boolean; readonly fold?: boolean } = {},
): CharacterSet {
  const source = `[${negated ? "^" : ""}${items}]`;
  const pattern = new RegExp(`^${source}$`, fold ? "iv" : "v");
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
  const test = (code: number): boolean => (code < 128 ? ascii[code] === 1 : pattern.test(String.fromCodePoint(code)));
  return { source, fold, test };
}

export const literal = (code: number): string => String.raw`\u{${code.toString(16)}}`;

export const range = (low: number, high: number): string => `${literal(low)}-${literal(high)}`;

/** The classes `d`, `w`, `s` and their complements, all of ASCII alone. */
export function perlClass(letter: string): string | undefined {
  const items: Readonly<Record<string, string>> = { d: "0-9", w: String.raw`0-9A-Za-z_`, s: String.raw`\t\n\f\r ` };
  const found = items[letter.toLowerCase()];
  if (found === undefined) return undefined;
  return letter === letter.toLowerCase() ? `[${found}]` : `[^${found}]`;
}

const posixClasses: Readonly<Record<string, string>> = lookup({
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: String.raw`\x00-\x7f`,
  blank: String.raw`\t `,
  cntrl: String.raw`\x00-\x1f\x7f`,
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: String.raw`!-\/:-@\[-\`\{-~`,
  space: String.raw`\t\n\v\f\r `,
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
});

/** `name` is the text between `[:` and `:]`, perhaps with a leading `^`. */
export function posixClass(name: string): string | undefined {
  const found = Object.hasOwn(posixClasses, name.replace(/^\^/, ""))
    ? posixClasses[name.replace(/^\^/, "")]
    : undefined;
  if (found === undefined) return undefined;
  return name.startsWith("^") ? `[^${found}]` : `[${found}]`;
}

/** The class of a general category, a script or `Any`; undefined for an unknown name. */
export function unicodeClass(name: string, negated: boolean): string | undefined {
  const letter = negated ? "P" : "p";
  for (const property of [name, `Script=${name}`]) {
    const source = `\\${letter}{${property}}`;
    try {
      new RegExp(source, "v");
      return source;
    } catch {
      // the name is no property of this form
    }
  }
  return undefined;
}
