/**
 * Matches regular expressions in time proportional to the product of text and pattern size, as Go's are matched.
 * Patterns and texts come from clients, and JavaScript's backtracking would let one of them stop the server.
 */
import type { MatchProgram, Instruction } from "./program.js";
import type { Assertion } from "./syntax.js";

/** A match: from `start` up to, but not including, `end`. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** Called for each character with the number of steps that are looked at there; may throw to stop the search. */
export type Spend = (ways: number) => void;

export interface FindOptions {
  /** Where to begin; the text before it still counts for `^` and `\b`. */
  readonly from?: number;
  /** True if any match will do: the search stops at the first end of one. */
  readonly any?: boolean;
  readonly spend?: Spend | undefined;
}

/**
 * The leftmost match; of several, the one that the pattern prefers (more or fewer repetitions, the left alternative),
 * as in Go.
 */
export function findMatch(program: MatchProgram, text: string, options: FindOptions = {}): Match | undefined {
  const { from = 0, any = false, spend } = options;
  const { steps, start } = program;
  let current = new Ways(steps);
  let next = new Ways(steps);
  let found: Match | undefined;
  for (let at = from; ; ) {
    // a match may begin anywhere, but an earlier beginning is preferred
    if (found === undefined) current.add(start, text, at, at);
    else if (current.count === 0) return found;
    spend?.(current.count + current.looked);
    const code = text.codePointAt(at);
    const after = at + (code !== undefined && code > 0xffff ? 2 : 1);
    for (let i = 0; i < current.count; i++) {
      const { set, next: leads } = steps[current.step[i] as number] as Instruction;
      const begun = current.begun[i] as number;
      if (set === undefined) {
        found = { start: begun, end: at };
        // the remaining paths are less preferred
        break;
      }
      if (code !== undefined && set.test(code)) next.add(leads[0] as number, text, after, begun);
    }
    if (code === undefined || (any && found !== undefined)) return found;
    [current, next] = [next, current];
    next.clear();
    at = after;
  }
}

/**
 * The steps that a match may have reached at one position of the text, the most preferred first.
 * Invariants:
 * 1. Each step occurs at most once; this bounds the time.
 * 2. Each step either has a set of characters or is the end of a match.
 */
class Ways {
  count = 0;
  /** The number of steps that were looked at, those without a character included. */
  looked = 0;
  readonly step: Uint32Array;
  /** The position at which the match on this path began. */
  readonly begun: Uint32Array;
  readonly #steps: readonly Instruction[];
  readonly #seen: Uint32Array;
  #round = 1;

  constructor(steps: readonly Instruction[]) {
    this.#steps = steps;
    this.step = new Uint32Array(steps.length);
    this.begun = new Uint32Array(steps.length);
    this.#seen = new Uint32Array(steps.length);
  }

  clear(): void {
    this.count = 0;
    this.looked = 0;
    this.#round++;
  }

  /** Adds a step, following all steps that consume no character. */
  add(index: number, text: string, at: number, begun: number): void {
    const open = [index];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      this.looked++;
      if (this.#seen[step] === this.#round) continue;
      this.#seen[step] = this.#round;
      const { set, assertion, next } = this.#steps[step] as Instruction;
      if (set !== undefined || next.length === 0) {
        this.step[this.count] = step;
        this.begun[this.count++] = begun;
      } else if (assertion === undefined || holds(assertion, text, at)) {
        for (let i = next.length - 1; i >= 0; i--) open.push(next[i] as number);
      }
    }
  }
}

const isWord = (code: number): boolean => /\w/.test(String.fromCharCode(code));

function holds(assertion: Assertion, text: string, at: number): boolean {
  const newline = 10;
  switch (assertion) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "lineStart":
      return at === 0 || text.charCodeAt(at - 1) === newline;
    case "lineEnd":
      return at === text.length || text.charCodeAt(at) === newline;
    default: {
      const before = at > 0 && isWord(text.charCodeAt(at - 1));
      const after = at < text.length && isWord(text.charCodeAt(at));
      return (before !== after) === (assertion === "boundary");
    }
  }
}
