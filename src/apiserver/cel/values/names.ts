/** Escapes the names of members for expressions, where some characters and words are not allowed. */

/** The words that an expression may not use as names, besides the keywords. */
export const reservedWords: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
export const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

const isReserved = (word: string): boolean => reservedWords.has(word) || keywords.has(word);

/** Whether an expression may use the text as the name of a variable. */
export const isIdentifier = (text: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(text) && !isReserved(text);

const symbols: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};
const plain: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(symbols).map(([symbol, name]) => [name, symbol]),
);

/**
 * `-` becomes `__dash__` and so on; reserved words are put between double underscores. Undefined if expressions cannot
 * name the member.
 */
export function escapedName(name: string): string | undefined {
  if (!/^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/.test(name)) return undefined;
  if (isReserved(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (symbol) => symbols[symbol] as string);
}

/** The name of the member; undefined if no member can have this escaped name. */
export function unescapedName(escaped: string): string | undefined {
  const word = /^__([a-z]+)__$/.exec(escaped)?.[1];
  if (word !== undefined && isReserved(word)) return word;
  const name = escaped.replace(/__(?:underscores|dot|dash|slash)__/g, (symbol) => plain[symbol] as string);
  return isReserved(name) ? undefined : name;
}
