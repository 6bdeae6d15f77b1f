/** Parses Go's regular expressions (RE2's syntax) into a tree, or throws with Go's error message. */
import { getOrMake } from "../../../base/containers/recent.js";
import { lookup } from "../../../base/members.js";
import { characterSet, type CharacterSet, literal, perlClass, posixClass, range, unicodeClass } from "./characters.js";

export type Assertion = "start" | "end" | "lineStart" | "lineEnd" | "boundary" | "noBoundary";

export type Node =
  | { readonly type: "char"; readonly set: CharacterSet }
  | { readonly type: "assert"; readonly assertion: Assertion }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly Node[] }
  | Repeat;

export interface Repeat {
  readonly type: "repeat";
  readonly part: Node;
  readonly min: number;
  readonly max: number;
  /** True if more repetitions are preferred. */
  readonly greedy: boolean;
}

/** A malformed pattern, in Go's words. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  constructor(problem: string, where: string) {
    super(`error parsing regexp: ${problem}: \`${where}\``);
  }
}

/** Matching time is proportional to the number of parts, and compiling a part takes microseconds. */
export const maxParts = 20_000;
const maxRepeat = 1_000;
const maxDepth = 1_000;

export function parsePattern(source: string): Node {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  #at = 0;
  /** The active flags, a subset of `imsU`. */
  #flags = "";
  #depth = 0;
  #parts = 0;
  /** The sets so far, by their text: most patterns use few. */
  readonly #sets = new Map<string, CharacterSet>();

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new PatternError("unexpected )", this.#source);
    return node;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as Node) : { type: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let char = this.#peek(); char !== "" && char !== "|" && char !== ")"; char = this.#peek()) {
      if (parts.length === 0) this.#repeated(undefined);
      const quoted = this.#match(/\\Q((?:[^\\]|\\(?!E))*)(?:\\E)?/uy)?.[1];
      if (quoted !== undefined) for (const one of quoted) parts.push(this.#set(literal(codeOf(one))));
      else if (!this.#flagsOnly()) parts.push(this.#atom());
      const repeated = this.#repeated(parts.pop());
      if (repeated !== undefined) parts.push(repeated);
    }
    return { type: "sequence", parts };
  }

  /** The atom with its repetition operator, if one follows. */
  #repeated(atom: Node | undefined): Node | undefined {
    const from = this.#at;
    const bounds = this.#bounds();
    if (bounds === undefined) return atom;
    const greedy = this.#take("?") === this.#flags.includes("U");
    if (atom === undefined) throw this.#error("missing argument to repetition operator", from);
    const [min, max] = bounds;
    const node: Repeat = { type: "repeat", part: atom, min, max, greedy };
    if (timesOf(node) > 1 && copiesOf(node) > maxRepeat) throw this.#error("invalid repeat count", from);
    if (this.#bounds() === undefined) return node;
    this.#take("?");
    throw this.#error("invalid nested repetition operator", from);
  }

  #bounds(): readonly [number, number] | undefined {
    const from = this.#at;
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    const found = this.#match(/\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y);
    if (found === undefined) return undefined;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    const tooMany = (count: number): boolean => count > maxRepeat && count !== Number.POSITIVE_INFINITY;
    if (tooMany(min) || tooMany(max) || min > max) throw this.#error("invalid repeat count", from);
    return [min, max];
  }

  #atom(): Node {
    const from = this.#at;
    const code = this.#next();
    switch (String.fromCodePoint(code)) {
      case "(":
        return this.#group(from);
      case "[":
        return this.#class(from);
      case ".":
        return this.#flags.includes("s") ? this.#set("\\p{Any}") : this.#set("\\n", { negated: true });
      case "^":
        return { type: "assert", assertion: this.#flags.includes("m") ? "lineStart" : "start" };
      case "$":
        return { type: "assert", assertion: this.#flags.includes("m") ? "lineEnd" : "end" };
      case "\\":
        return this.#escaped(from);
      default:
        return this.#set(literal(code));
    }
  }

  /** `(?i)` and other groups of flags only, which hold until the enclosing group ends. */
  #flagsOnly(): boolean {
    const found = this.#match(/\(\?([imsU]+(?:-[imsU]+)?|-[imsU]+)\)/y);
    if (found !== undefined) this.#setFlags(found[1] as string);
    return found !== undefined;
  }

  #setFlags(text: string): void {
    const [on = "", off = ""] = text.split("-");
    this.#flags = Array.from(new Set(this.#flags + on))
      .filter((flag) => !off.includes(flag))
      .join("");
  }

  #group(from: number): Node {
    const before = this.#flags;
    const head = this.#match(/\?(?:P?<\w+>|([imsU]*(?:-[imsU]+)?):)/y);
    if (head?.[1] !== undefined) this.#setFlags(head[1]);
    else if (head === undefined && this.#peek() === "?") throw this.#badGroup(from);
    if (++this.#depth > maxDepth) throw new PatternError("expression nests too deeply", this.#source);
    const inner = this.#choice();
    this.#depth--;
    if (!this.#take(")")) throw new PatternError("missing closing )", this.#source);
    this.#flags = before;
    return inner;
  }

  #badGroup(from: number): PatternError {
    const rest = this.#source.slice(from);
    if (/^\(\?P?</.test(rest)) return new PatternError("invalid named capture", /^[^>]*>/.exec(rest)?.[0] ?? rest);
    const known = /^\(\?[imsU]*-?[imsU]*/.exec(rest)?.[0] ?? "";
    return new PatternError("invalid or unsupported Perl syntax", rest.slice(0, known.length + 1));
  }

  #class(from: number): Node {
    const negated = this.#take("^");
    let items = "";
    for (let first = true; first || this.#peek() !== "]"; first = false) {
      if (++this.#parts > maxParts) throw new PatternError("expression too large", "");
      items += this.#classItem(from);
    }
    this.#at++;
    return this.#set(items, { negated });
  }

  #classItem(from: number): string {
    const start = this.#at;
    const posix = this.#match(/\[:([^\]]{0,64}?):\]/y);
    if (posix !== undefined) {
      const found = posixClass(posix[1] as string);
      if (found === undefined) throw this.#error("invalid character class range", start);
      return found;
    }
    const known = this.#namedClass();
    if (known !== undefined) return known;
    const low = this.#classChar(from);
    // at the end of the class, a dash is a literal
    if (this.#match(/-(?=[^\]])/y) === undefined) return literal(low);
    const high = this.#classChar(from);
    if (high < low) throw this.#error("invalid character class range", start);
    return range(low, high);
  }

  #classChar(from: number): number {
    if (this.#peek() === "") throw new PatternError("missing closing ]", this.#source.slice(from));
    const start = this.#at;
    const code = this.#next();
    return code === codeOf("\\") ? this.#escapedChar(start) : code;
  }

  /** `\d`, `\pL` and other named classes, inside or outside brackets. */
  #namedClass(): string | undefined {
    const start = this.#at;
    const perl = this.#match(/\\([dDwWsS])/y);
    if (perl !== undefined) return perlClass(perl[1] as string);
    const unicode = this.#match(/\\([pP])(?:\{(\^?)([^}]*)\}|([^{]))/uy);
    if (unicode !== undefined) {
      const [, letter, not, long, short] = unicode;
      const found = unicodeClass((long ?? short) as string, (letter === "P") !== (not === "^"));
      if (found !== undefined) return found;
      throw this.#error("invalid character class range", start);
    }
    if (this.#match(/\\[pP]/y) === undefined) return undefined;
    throw new PatternError("invalid character class range", this.#source.slice(start));
  }

  /** The node of the escape that begins with the backslash at `from`. */
  #escaped(from: number): Node {
    const assertion = assertions[this.#peek()];
    if (assertion !== undefined) {
      this.#at++;
      return { type: "assert", assertion };
    }
    this.#at = from;
    const named = this.#namedClass();
    if (named !== undefined) return this.#set(named);
    this.#at = from + 1;
    return this.#set(literal(this.#escapedChar(from)));
  }

  /** The code point of an escape; its backslash, at `from`, has been read. */
  #escapedChar(from: number): number {
    const char = this.#peek();
    if (char === "") throw new PatternError("trailing backslash at end of expression", "");
    const octal = this.#match(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
    if (octal !== undefined) return Number.parseInt(octal[0], 8);
    const hex = this.#match(/x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/y);
    const code = Number.parseInt(hex?.[1] ?? hex?.[2] ?? "", 16);
    if (code <= 0x10ffff) return code;
    if (hex === undefined) this.#next();
    const control = controls[char];
    if (control !== undefined) return control;
    if (/^[\0-\x7f]$/.test(char) && !/[0-9A-Za-z]/.test(char)) return codeOf(char);
    throw this.#error("invalid escape sequence", from);
  }

  #set(items: string, options: { readonly negated?: boolean } = {}): Node {
    if (++this.#parts > maxParts) throw new PatternError("expression too large", "");
    const [negated, fold] = [options.negated === true, this.#flags.includes("i")];
    const key = `${negated} ${fold} ${items}`;
    const set = getOrMake(this.#sets, key, () => characterSet(items, { negated, fold }));
    return { type: "char", set };
  }

  /** The next code unit; empty at the end. */
  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  /** Consumes the next code point; must not be called at the end. */
  #next(): number {
    const code = this.#source.codePointAt(this.#at) as number;
    this.#at += String.fromCodePoint(code).length;
    return code;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }

  /** Consumes the text that matches exactly here; `form` must be sticky. */
  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  /** An error about the text between `from` and the reading position. */
  #error(problem: string, from: number): PatternError {
    return new PatternError(problem, this.#source.slice(from, this.#at));
  }
}

const codeOf = (char: string): number => char.codePointAt(0) as number;

const assertions: Readonly<Record<string, Assertion>> = lookup({
  A: "start",
  z: "end",
  b: "boundary",
  B: "noBoundary",
});
const controls: Readonly<Record<string, number>> = lookup({ a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 });

const timesOf = ({ min, max }: Repeat): number => (max === Number.POSITIVE_INFINITY ? min : max);

/** The number of copies that nested counted repetitions make of their innermost part. */
function copiesOf(node: Node): number {
  switch (node.type) {
    case "char":
    case "assert":
      return 1;
    case "sequence":
    case "choice":
      return node.parts.reduce((most, part) => Math.max(most, copiesOf(part)), 1);
    default:
      return Math.max(1, timesOf(node)) * copiesOf(node.part);
  }
}
