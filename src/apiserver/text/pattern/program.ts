/** Compiles the parser's tree into the list of steps that the matcher follows. */
import type { CharacterSet } from "./characters.js";
import { type Assertion, maxParts, type Node, PatternError, type Repeat } from "./syntax.js";

/** One step; `next` lists its successors, the preferred one first. The end of a match has none. */
export interface Instruction {
  readonly set?: CharacterSet;
  readonly assertion?: Assertion;
  readonly next: readonly number[];
}

/** The steps, and the index of the first one. */
export interface MatchProgram {
  readonly steps: readonly Instruction[];
  readonly start: number;
}

/** Makes the steps from last to first, so that each knows its successors. */
export function programOf(node: Node): MatchProgram {
  const steps: (Instruction & { next: readonly number[] })[] = [];
  const add = (step: Instruction): number => {
    if (steps.length >= maxParts) throw new PatternError("expression too large", "");
    return steps.push(step) - 1;
  };
  const compile = (part: Node, after: number): number => {
    switch (part.type) {
      case "char":
        return add({ set: part.set, next: [after] });
      case "assert":
        return add({ assertion: part.assertion, next: [after] });
      case "sequence":
        return part.parts.reduceRight((next, one) => compile(one, next), after);
      case "choice":
        return add({ next: part.parts.map((one) => compile(one, after)) });
      default:
        return compileRepeat(part, after);
    }
  };
  const compileRepeat = ({ part, min, max, greedy }: Repeat, after: number): number => {
    const either = (more: number, enough: number): readonly number[] => (greedy ? [more, enough] : [enough, more]);
    let next = after;
    let copies = min;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = add({ next: [] });
      const once = compile(part, loop);
      (steps[loop] as { next: readonly number[] }).next = either(once, after);
      // as in Go, a part that may be empty is run once before the loop decides whether to go on
      next = min > 0 ? once : mayBeEmpty(part) ? add({ next: either(once, after) }) : loop;
      copies = Math.max(0, min - 1);
    } else for (let i = min; i < max; i++) next = add({ next: either(compile(part, next), after) });
    for (let i = 0; i < copies; i++) next = compile(part, next);
    return next;
  };
  const start = compile(node, add({ next: [] }));
  return { steps, start };
}

function mayBeEmpty(node: Node): boolean {
  switch (node.type) {
    case "char":
      return false;
    case "assert":
      return true;
    case "sequence":
      return node.parts.every(mayBeEmpty);
    case "choice":
      return node.parts.some(mayBeEmpty);
    default:
      return node.min === 0 || mayBeEmpty(node.part);
  }
}
