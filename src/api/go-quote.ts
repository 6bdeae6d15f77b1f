/** Prints text as Go does: the quoted forms that stand inside messages on the wire. */
import { exactJson } from "./values/exact-json.js";

const named: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
  34: '\\"',
  92: "\\\\",
};

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
// Go calls these not printable: controls, surrogates, unassigned, private use, format characters and all spaces but
// the ASCII one
const notPrintable = /[\p{C}\p{Z}]/u;

/** `%q`: double quotes, Go's escapes, everything printable left alone. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    quoted += named[code] ?? (code !== 32 && notPrintable.test(character) ? escape(code) : character);
  }
  return `${quoted}"`;
}

/** `%q` of a list of texts. */
export const goQuotes = (texts: readonly string[]): string => `[${texts.map(goQuote).join(" ")}]`;

function escape(code: number): string {
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\\ufffd";
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

const unsafeInGoJson = /[<>&\u2028\u2029]/g;

/** `json.Marshal`: like JSON.stringify, with `<`, `>` and `&` escaped. `undefined` is a nil pointer: `null`. */
export function goJson(value: unknown): string {
  return value === undefined ? "null" : escapedAsGo(exactJson(value));
}

/** JSON text with the same characters escaped as by Go's encoder (`<`, `>`, `&`, U+2028, U+2029). Parses to the same value. */
export function escapedAsGo(json: string): string {
  return json.replace(unsafeInGoJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
