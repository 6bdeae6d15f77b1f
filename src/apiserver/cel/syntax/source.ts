/** Prints complaints about an expression as the API server words them, with the line and a mark below it. */

export interface Complaint {
  /** An offset in code points; undefined if the complaint has no place. */
  readonly at: number | undefined;
  readonly message: string;
}

/** The complaints about an expression. The message shows each at its place. */
export class CelSyntaxError extends Error {
  override readonly name = "CelSyntaxError";
}

const maxShown = 100;
/** Each complaint repeats its line, and many complaints about one long line would make a very long text. */
const maxText = 64 * 1024;

/** The complaints in the order of their places, each with its line and a mark below it. */
export function complaintsText(source: string, complaints: readonly Complaint[]): string {
  const lines = source.split("\n").map((line) => Array.from(line));
  const sorted = complaints.toSorted((a, b) => (a.at ?? -1) - (b.at ?? -1));
  const texts: string[] = [];
  let length = 0;
  for (const { at, message } of sorted.slice(0, maxShown)) {
    if (length > maxText) break;
    const text = shown(lines, { ...place(lines, at), message });
    length += text.length;
    texts.push(text);
  }
  const rest = complaints.length - texts.length;
  return [...texts, ...(rest === 0 ? [] : [`${rest} more errors were truncated`])].join("\n");
}

function place(lines: readonly string[][], at: number | undefined): { line: number; column: number } {
  if (at === undefined) return { line: -1, column: -1 };
  let left = at;
  for (const [line, characters] of lines.entries()) {
    if (left <= characters.length) return { line, column: left };
    left -= characters.length + 1;
  }
  return { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 };
}

function shown(
  lines: readonly string[][],
  { line, column, message }: { readonly line: number; readonly column: number; readonly message: string },
): string {
  if (line < 0) return `ERROR: <input>:-1:0: ${message}`;
  const text = lines[line] ?? [];
  // a wide character gets a wide dot, so that the mark stands below its place
  const dots = text.slice(0, column).map((character) => (isWide(character) ? "．" : "."));
  const mark = column < text.length && isWide(text[column] as string) ? "＾" : "^";
  return `ERROR: <input>:${line + 1}:${column + 1}: ${message}\n | ${text.join("").replaceAll("\t", " ")}\n | ${dots.join("")}${mark}`;
}

const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) > 0x7f;
