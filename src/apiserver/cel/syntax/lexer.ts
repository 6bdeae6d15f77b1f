/** Splits the text of an expression into tokens. Pure. */
import type { Complaint } from "./source.js";
import { codePoints } from "../../text/code-points.js";

type TokenType = "int" | "uint" | "double" | "string" | "bytes" | "ident" | "quoted" | "sign" | "end";

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** The offset in code points. */
  readonly at: number;
}

const patterns: readonly (readonly [TokenType | "space", RegExp])[] = [
  ["space", /(?:[\t \r\n\f]+|\/\/[^\n]*)/y],
  [
    "bytes",
    /[bB](?:[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*')/y,
  ],
  [
    "string",
    /[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*'/y,
  ],
  ["double", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["uint", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["int", /0x[0-9a-fA-F]+|\d+/y],
  ["ident", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["quoted", /`[A-Za-z0-9_./ -]+`/y],
  ["sign", /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];

/**
 * A text without an end is looked through to the end of the source, and only its first line is skipped, so the number
 * of complaints must have a limit for the work to have one.
 */
const maxComplaints = 1_000;

/** Characters that no token may contain are complained of and skipped; the text after very many of them is left out. */
export function tokensOf(source: string, complaints: Complaint[]): readonly Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  /** `offset`, counted in code points. */
  let at = 0;
  while (offset < source.length && complaints.length < maxComplaints) {
    const [type, text] = nextOf(source, offset);
    const length = codePoints(text);
    if (type === undefined)
      complaints.push({ at, message: `Syntax error: token recognition error at: '${shown(text)}'` });
    else if (type !== "space") tokens.push({ type, text, at });
    offset += text.length;
    at += length;
  }
  tokens.push({ type: "end", text: "<EOF>", at });
  return tokens;
}

function nextOf(source: string, offset: number): readonly [TokenType | "space" | undefined, string] {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = offset;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) return [type, found];
  }
  const first = String.fromCodePoint(source.codePointAt(offset) as number);
  // a single `=`, `&` or `|` is taken for the first half of an operator
  if (/[=&|]/.test(first)) return [undefined, source.slice(offset, offset + 2)];
  if (!/["'`]/.test(first)) return [undefined, first];
  // an unterminated text: the rest of its line is skipped
  const end = source.slice(offset).search(/[\n\r]/);
  return [undefined, end < 0 ? source.slice(offset) : source.slice(offset, offset + end)];
}

const shown = (text: string): string => text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
