/** Checks the expressions of a policy or webhook when it is written: do they compile, and do they give the wanted type? */
import type { Variable } from "../../../api/index.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";
import { compiledOrFault } from "../compile.js";
import { environmentFor, type Names } from "./environment.js";

export type { Names };

/** The kind of result that an expression must give. */
export type Result = "bool" | "string" | "annotation" | "object" | "patch" | "anything";

/** For each kind of result, its name in messages and its types; undefined for any type. */
const results: Readonly<Record<Result, { readonly wanted: string; readonly types: readonly Type[] | undefined }>> = {
  bool: { wanted: "bool", types: [types.bool] },
  string: { wanted: "string", types: [types.string] },
  annotation: { wanted: "one of [string null_type]", types: [types.string, types.nullType] },
  object: { wanted: "Object", types: [types.struct("Object")] },
  patch: { wanted: "list(JSONPatch)", types: [types.list(types.struct("JSONPatch"))] },
  anything: { wanted: "", types: undefined },
};

/** The error of an expression that must give this kind of result; undefined if there is none. */
export function expressionFault(expression: string, names: Names, result: Result): string | undefined {
  const compiled = compiledOrFault(
    expression,
    environmentFor({ ...names, patches: result === "object" || result === "patch" }),
  );
  if (typeof compiled === "string") return compiled;
  const { checked, program } = compiled;
  const { wanted, types: fitting } = results[result];
  if (fitting !== undefined && !fitting.some((type) => types.sameType(type, checked.type)))
    return `must evaluate to ${wanted} but got ${types.resultText(checked.type)}`;
  return program.fault === undefined ? undefined : `program instantiation failed: ${program.fault}`;
}

export type VariableType = Type;

/** The type of a variable whose expression may use `names`; `dyn` if the expression is wrong. */
export function variableType({ expression = "" }: Partial<Variable>, names: Names): VariableType {
  const compiled = expression.trim() === "" ? "" : compiledOrFault(expression, environmentFor(names));
  return typeof compiled === "string" ? types.dyn : compiled.checked.type;
}

/** The type of each variable, by name. A variable may use the variables before it. */
export function variableTypes(
  variables: readonly Partial<Variable>[],
  names: Omit<Names, "variables">,
): ReadonlyMap<string, Type> {
  const known = new Map<string, Type>();
  for (const variable of variables)
    known.set(variable.name ?? "", variableType(variable, { ...names, variables: known }));
  return known;
}
