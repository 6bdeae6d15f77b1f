/** Escapes the names of members for expressions, where some characters and words are not allowed. */

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

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
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (symbol) => symbols[symbol] as string);
}

/** The name of the member; undefined if no member can have this escaped name. */
export function unescapedName(escaped: string): string | undefined {
  const word = /^__([a-z]+)__$/.exec(escaped)?.[1];
  if (word !== undefined && reserved.has(word)) return word;
  const name = escaped.replace(/__(?:underscores|dot|dash|slash)__/g, (symbol) => plain[symbol] as string);
  return reserved.has(name) ? undefined : name;
}
