/** Finds the regular expressions of a source file: the expressions that are written there, and the places that make one. */
import { parseAst } from "rolldown/parseAst";
import type { SourceFile } from "../source-files.js";

interface WrittenExpression {
  /** `file:line`, to be shown. */
  readonly at: string;
  readonly expression: RegExp;
}

interface MadeExpression {
  readonly at: string;
  /** The code that makes it. */
  readonly code: string;
  /** Whether it is made when the file is loaded, not when a function is called. */
  readonly isConstant: boolean;
}

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
  readonly [field: string]: unknown;
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && typeof (value as Partial<Syntax>).type === "string";

export interface Expressions {
  readonly written: readonly WrittenExpression[];
  readonly made: readonly MadeExpression[];
}

export function expressionsIn({ path, text }: SourceFile): Expressions {
  const written: WrittenExpression[] = [];
  const made: MadeExpression[] = [];
  const visit = (node: Syntax, isConstant: boolean): void => {
    const at = (): string => `${path}:${text.slice(0, node.start).split("\n").length}`;
    if (node.type === "Literal" && node.regex !== undefined) {
      written.push({ at: at(), expression: new RegExp(node.regex.pattern, node.regex.flags) });
    }
    if (/^(?:New|Call)Expression$/.test(node.type) && node.callee?.name === "RegExp") {
      made.push({ at: at(), code: text.slice(node.start, node.end).replaceAll(/\s+/g, " "), isConstant });
    }
    const isInside = isConstant && !/Function|Method|Class/.test(node.type);
    for (const child of Object.values(node).flat()) if (isSyntax(child)) visit(child, isInside);
  };
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }) as unknown as Syntax, true);
  return { written, made };
}
