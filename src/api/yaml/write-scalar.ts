/** Writes strings and numbers in YAML as a Kubernetes server does: plain where that is safe, else quoted, else line by line. */
import { resolvePlain } from "./resolve.js";

export interface ScalarPlace {
  /** The indentation of the lines after the first. */
  readonly indent: number;
  /** The column of the first character. */
  readonly column: number;
  /** Whether a long line may be broken at a space. */
  readonly foldable: boolean;
}

const preferredWidth = 80;
const longestSimpleKey = 128;

/** Whether a key may stand before its colon on one line. */
export const isSimpleKey = (key: string): boolean => Buffer.byteLength(key) <= longestSimpleKey && !/[\n\r]/.test(key);

export function writeString(text: string, place: ScalarPlace): string {
  if (special.test(text)) return doubleQuoted(text, place);
  if (text.includes("\n")) {
    return / (?:\n|$)/.test(text) ? doubleQuoted(text, place) : literal(text, place.indent);
  }
  if (resolvePlain(text).tag !== "str" || sexagesimal.test(text)) return doubleQuoted(text, place);
  return isPlain(text) ? folded(text, place) : singleQuoted(text, place);
}

/** Characters that must be written as escapes: control characters, and all characters outside the first plane. */
const special = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]|\ufeff|[\u2028\u2029]/;

/** Numbers to the base of 60, which YAML 1.1 has. */
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

function isPlain(text: string): boolean {
  return !/^[ #,[\]{}&*!|>'"%@`]|^[-?:](?: |$)|^(?:---|\.\.\.)/.test(text) && !/: |:$| #| $/.test(text) && text !== "";
}

/** Breaks lines at single spaces beyond the preferred width. */
function folded(text: string, { indent, column, foldable }: ScalarPlace): string {
  if (!foldable || column + text.length <= preferredWidth) return text;
  let written = "";
  let at = column;
  for (let i = 0; i < text.length; i++) {
    const isSpace = text[i] === " ";
    if (isSpace && at > preferredWidth && text[i - 1] !== " " && text[i + 1] !== " " && i < text.length - 1 && i > 0) {
      written += `\n${" ".repeat(indent)}`;
      at = indent;
      continue;
    }
    written += text[i] as string;
    at++;
  }
  return written;
}

function singleQuoted(text: string, place: ScalarPlace): string {
  return `'${folded(text.replaceAll("'", "''"), { ...place, column: place.column + 1 })}'`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

function doubleQuoted(text: string, { indent, column, foldable }: ScalarPlace): string {
  let written = '"';
  let at = column + 1;
  let afterSpace = false;
  let left = text.length;
  for (const char of text) {
    left -= char.length;
    const isSpace = char === " ";
    if (isSpace && foldable && !afterSpace && at > preferredWidth && left > 0 && left < text.length - 1) {
      // a space at the beginning of a line would be lost
      const kept = text[text.length - left] === " " ? "\\" : "";
      written += `\n${" ".repeat(indent)}${kept}`;
      at = indent + kept.length;
    } else {
      const shown = special.test(char) || char === '"' || char === "\\" || char === "\n" ? escaped(char) : char;
      written += shown;
      at += shown.length;
    }
    afterSpace = isSpace;
  }
  return `${written}"`;
}

function escaped(char: string): string {
  const known = escapes.get(char);
  if (known !== undefined) return known;
  const code = char.codePointAt(0) as number;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** The text unchanged, line by line, after a header that tells how it begins and ends. */
function literal(text: string, indent: number): string {
  const begins = /^[ \n]/.test(text) ? "2" : "";
  const ends = !text.endsWith("\n") ? "-" : /(?:^|\n)\n$/.test(text) ? "+" : "";
  const lines = (ends === "-" ? text : text.slice(0, -1)).split("\n");
  const shown = lines.map((line) => (line === "" ? "" : `${" ".repeat(indent)}${line}`));
  return `|${begins}${ends}\n${shown.join("\n")}`;
}

/** Whole numbers as digits as far as 64 bits hold them; other numbers with an exponent if they are large or small. */
export function writeNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
