/** Compiles the text of an expression into a program, and evaluates programs. The entrance to this folder. */
import { check, type Checked } from "./checker/checker.js";
import type { CelEnvironment } from "./checker/environment.js";
import { literalComplaints } from "./checker/literals.js";
import { CostExceeded, Meter } from "./values/meter.js";
import { plan, type Program, type Variables } from "./evaluate/program.js";
import { parse } from "./syntax/parser.js";
import { CelSyntaxError, type Complaint, complaintsText } from "./syntax/source.js";
import { ErrorValue, type Value } from "./values/value.js";

export interface Compiled {
  readonly checked: Checked;
  readonly program: Program;
}

/** Throws a CelSyntaxError with all complaints about the expression. */
export function compile(source: string, environment: CelEnvironment): Compiled {
  const expr = parse(source, environment);
  const complaints: Complaint[] = [];
  const checked = check(expr, environment, complaints);
  if (complaints.length === 0) complaints.push(...literalComplaints(checked));
  if (complaints.length > 0) throw new CelSyntaxError(complaintsText(source, complaints));
  return { checked, program: plan(checked, environment) };
}

/** The compiled expression, or its fault. */
export function compiledOrFault(source: string, environment: CelEnvironment): Compiled | string {
  try {
    return compile(source, environment);
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return `compilation failed: ${error.message}`;
  }
}

/** `cost` is the price of the evaluation, which its object, binding or webhook pays from a budget. */
export type Evaluated =
  | { readonly type: "value"; readonly value: Value; readonly cost: number }
  | { readonly type: "error"; readonly message: string; readonly cost: number }
  | { readonly type: "too costly"; readonly cost: number };

/** Never throws, whatever the expression and its variables are, and never does more work than `limit` allows. */
export function evaluate(program: Program, variables: Variables, limit: number): Evaluated {
  const meter = new Meter(limit);
  try {
    const value = program.run(variables, meter);
    const { spent: cost } = meter;
    return value instanceof ErrorValue
      ? { type: "error", message: value.message, cost }
      : { type: "value", value, cost };
  } catch (error) {
    if (error instanceof CostExceeded) return { type: "too costly", cost: meter.spent };
    throw error;
  }
}
