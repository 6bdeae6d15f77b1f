/** A pattern as steps that a match goes through. Takes the tree of the parser, gives a list of steps to the matcher. */
import type { CharacterSet } from "./characters.js";
import { type Assertion, type Node, PatternError, type Repeat } from "./syntax.js";

/** Where it leads next, the preferred way first. The end of a match leads nowhere. */
export interface Step {
  readonly set?: CharacterSet;
  readonly assertion?: Assertion;
  readonly next: readonly number[];
}

/** The steps, and the index of the one where matching begins. */
export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

/** The time that a text takes grows with this. */
const maxSteps = 20_000;

/** Steps are made from the last to the first: each is made knowing where it leads. */
export function programOf(node: Node): Program {
  const steps: (Step & { next: readonly number[] })[] = [];
  const add = (step: Step): number => {
    if (steps.length >= maxSteps) throw new PatternError("expression too large", "");
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
      // what may be empty is gone through before it is asked whether to go on, as in Go
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
