/** Measures the depth and size of trees, so that neither the call stack nor time runs out on them. */
import { type Expr, partsOf } from "./ast.js";

/** More than the expansion of any text with 250 levels, and far below the limit of the call stack. */
const maxDepth = 1000;
/** Macros repeat their parts, so a short text may expand into a very large tree. */
const maxNodes = 100_000;

export const tooLarge: string = `expression size exceeds limit: more than ${maxNodes} parts with its macros expanded`;

interface Measure {
  readonly depth: number;
  readonly size: number;
}

/** Parts are measured before the whole, so measuring never recurses deeply. */
export class Measures {
  readonly #known = new Map<Expr, Measure>();

  /** The complaint about a tree that is too deep or too large; undefined if it is neither. */
  fault(expr: Expr): string | undefined {
    const { depth, size } = this.#measure(expr);
    if (depth > maxDepth) return "max recursion depth exceeded";
    return size > maxNodes ? tooLarge : undefined;
  }

  /** Whether a few copies of the tree would exceed the size limit. */
  isLarge(expr: Expr): boolean {
    return this.#measure(expr).size > maxNodes / 4;
  }

  #measure(expr: Expr): Measure {
    const known = this.#known.get(expr);
    if (known !== undefined) return known;
    let depth = 1;
    let size = 1;
    for (const part of partsOf(expr)) {
      const inner = this.#measure(part);
      depth = Math.max(depth, inner.depth + 1);
      size += inner.size;
    }
    const measure = { depth, size };
    this.#known.set(expr, measure);
    return measure;
  }
}
