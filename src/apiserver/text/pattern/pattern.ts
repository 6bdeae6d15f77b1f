/** Compiled patterns of schemas and of CEL: Go's regular expressions, matched in bounded time. */
import { findMatch, type Match, type Spend } from "./matcher.js";
import { type MatchProgram, programOf } from "./program.js";
import { type Node, parsePattern, PatternError } from "./syntax.js";
import { Recent } from "../../../base/containers/recent.js";

export { PatternError };

/** A compiled pattern. A malformed text throws a PatternError. */
export class Pattern {
  /** The work of compiling the text. */
  readonly effort: number;
  readonly #program: MatchProgram;
  /** The JavaScript form, for patterns that cannot take it long on a short text. */
  readonly #native: RegExp | undefined;
  /** An upper bound on the paths that JavaScript tries on a short text. */
  readonly #ways: number;

  constructor(source: string) {
    const node = parsePattern(source);
    this.#program = programOf(node);
    this.#ways = waysThrough(node);
    this.#native = this.#ways <= fewWays ? nativeForm(node) : undefined;
    this.effort = stepsToCompile * (source.length + this.#program.steps.length);
  }

  /** Whether the text, however long and hostile, contains a match. */
  test(text: string, spend?: Spend): boolean {
    if (this.#native !== undefined && text.length <= shortText) {
      spend?.(this.#ways / nativeSpeed);
      return this.#native.test(text);
    }
    return findMatch(this.#program, text, { any: true, spend }) !== undefined;
  }

  /** The matches from left to right. No empty match directly follows another match. */
  *matches(text: string, spend?: Spend): Generator<string> {
    let lastEnd = -1;
    for (let from = 0; from <= text.length; ) {
      const match: Match | undefined = findMatch(this.#program, text, { from, spend });
      if (match === undefined) return;
      const { start, end } = match;
      const empty = end === start;
      if (!empty || start !== lastEnd) yield text.slice(start, end);
      lastEnd = end;
      from = empty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
    }
  }
}

/** The patterns of one program or one schema by their texts: they are few, and recur for each object. */
export class Patterns {
  readonly #compiled = new Recent<string, Pattern>({ weight: 500 });

  /** The work of compiling a new text is reported to `spend`. */
  of(source: string, spend: Spend): Pattern {
    let found = this.#compiled.get(source);
    if (found === undefined) {
      found = new Pattern(source);
      spend(found.effort);
      this.#compiled.set(source, found);
    }
    return found;
  }
}

/** Compiling a step takes as long as matching many. */
const stepsToCompile = 200;

const shortText = 128;
/** The number of paths that JavaScript may try on a short text. */
const fewWays = 8 * shortText;
/** JavaScript tries this many paths in the time that the matcher here takes for one. */
const nativeSpeed = 16;

/** An upper bound on the paths through the pattern for a short text. */
function waysThrough(node: Node): number {
  switch (node.type) {
    case "char":
    case "assert":
      return 1;
    case "sequence":
      return node.parts.reduce((product, part) => product * waysThrough(part), 1);
    case "choice":
      return node.parts.reduce((sum, part) => sum + waysThrough(part), 0);
    default: {
      if (node.max <= 1) return 1 + waysThrough(node.part);
      return node.part.type === "char" ? Math.min(node.max, shortText) - node.min + 1 : Number.POSITIVE_INFINITY;
    }
  }
}

/** Undefined if JavaScript cannot express a part of the pattern. */
function nativeForm(node: Node): RegExp | undefined {
  const write = (part: Node): string | undefined => {
    switch (part.type) {
      case "char":
        return part.set.fold ? undefined : part.set.source;
      case "assert":
        return { start: "^", end: "$", boundary: "\\b", noBoundary: "\\B", lineStart: undefined, lineEnd: undefined }[
          part.assertion
        ];
      case "sequence":
      case "choice": {
        const parts = part.parts.map(write);
        return parts.includes(undefined) ? undefined : `(?:${parts.join(part.type === "choice" ? "|" : "")})`;
      }
      default: {
        const inner = write(part.part);
        const max = part.max === Number.POSITIVE_INFINITY ? "" : part.max;
        return inner === undefined ? undefined : `(?:${inner}){${part.min},${max}}`;
      }
    }
  };
  const source = write(node);
  return source === undefined ? undefined : new RegExp(source, "v");
}
