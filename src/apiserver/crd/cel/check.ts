/** Checks an expression against the schema that it is about, and complains in the words of the API server. For the validation of definitions. */
import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import { additionalSchema, type JsonSchema } from "../schema/json-schema.js";
import { type CelError, environment, language } from "./environment.js";
import { escapedName } from "./values.js";

/** Undefined if all is well. `wanted` is the type that the expression must have. */
export function expressionProblem(
  expression: string,
  { schema, root, optionalOldSelf }: { schema: JsonSchema; root: boolean; optionalOldSelf: boolean },
  wanted: "bool" | "string",
): string | undefined {
  const untyped = untypedCheck(expression, optionalOldSelf);
  if (!untyped.valid && untyped.error) return complaint(expression, untyped.error as CelError);
  const { valid, error, type } = typedEnvironment(schema, root, optionalOldSelf).check(expression);
  // the checker is stricter than the language in places, so only what is wrong beyond doubt counts
  if (!valid && error && isBeyondDoubt(error as CelError)) return complaint(expression, error as CelError);
  if (valid && type !== undefined && definite.has(type) && type !== wanted)
    return wanted === "bool" ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string";
  return undefined;
}

/** Types about which the checker is sure. */
export const definite: ReadonlySet<string> = new Set(["bool", "string", "int", "uint", "double", "bytes"]);

/** The checker is stricter than the language in places. */
export function isBeyondDoubt({ code, summary = "" }: CelError): boolean {
  if (code === "no_such_key") return true;
  const operands = /^no such overload: (\w+) \S+ (\w+)$/.exec(summary);
  return operands !== null && operands.slice(1).every((operand) => definite.has(operand));
}

function untypedCheck(expression: string, optionalOldSelf: boolean): ReturnType<Environment["check"]> {
  try {
    return (environment(optionalOldSelf).parse(expression) as ParseResult).check();
  } catch (error) {
    return { valid: false, error: error as never };
  }
}

/** As the API server words it, with the line and a mark below the place. */
export function complaint(expression: string, error: CelError): string {
  const start = error.range?.start ?? expression.length;
  const { text, place } = worded(error, expression, start);
  const before = expression.slice(0, place);
  const line = before.split("\n").length;
  const column = place - (before.lastIndexOf("\n") + 1);
  const shown = expression.split("\n")[line - 1] ?? "";
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown}\n | ${".".repeat(Math.max(0, column))}^`;
}

/** The mark stands at the dot of a member, the bracket of a call, the operator of an operation. */
function worded(
  { summary = "" }: CelError,
  expression: string,
  start: number,
): { readonly text: string; readonly place: number } {
  const [, key] = /^No such key: (.+)$/.exec(summary) ?? [];
  if (key !== undefined) return { text: `undefined field '${key}'`, place: start - 1 };
  const [, variable] = /^Unknown variable: (.+)$/.exec(summary) ?? [];
  if (variable !== undefined) return { text: `undeclared reference to '${variable}' (in container '')`, place: start };
  const [, method] = /^found no matching overload for '(?:[^']*\.)?(\w+)\(.*'$/.exec(summary) ?? [];
  if (method !== undefined) {
    const place = expression.indexOf(`${method}(`, start) + method.length;
    return { text: `undeclared reference to '${method}' (in container '')`, place };
  }
  const [, left, operator, right] = /^no such overload: (\S+) (\S+) (\S+)$/.exec(summary) ?? [];
  if (operator !== undefined) {
    const text = `found no matching overload for '_${operator}_' applied to '(${left}, ${right})'`;
    return { text, place: Math.max(start, expression.indexOf(operator, start)) };
  }
  const atEnd = summary === "Unexpected token: EOF";
  return { text: `Syntax error: ${atEnd ? "mismatched input '<EOF>'" : summary}`, place: start };
}

/** An environment in which `self` and `oldSelf` have the type of the schema. It checks, and evaluates nothing. */
function typedEnvironment(schema: JsonSchema, root: boolean, optionalOldSelf: boolean): Environment {
  const typed = language().clone();
  let count = 0;
  const declare = (fields: Record<string, string>): string => {
    const name = `kubernetes.Schema${count++}`;
    typed.registerType(name, { ctor: class {}, fields });
    return name;
  };
  const typeOf = (node: JsonSchema | undefined, isObject = false): string => {
    if (node === undefined || node["x-kubernetes-int-or-string"] === true) return "dyn";
    if (node.type === "array") return `list<${typeOf(node.items)}>`;
    if (node.type !== "object") return scalars[`${node.type} ${node.format}`] ?? scalars[node.type ?? ""] ?? "dyn";
    if (node.properties === undefined && !isObject) {
      const additional = additionalSchema(node);
      return additional === undefined ? "dyn" : `map<string, ${typeOf(additional)}>`;
    }
    if (node["x-kubernetes-preserve-unknown-fields"] === true && node.properties === undefined) return "dyn";
    const fields: Record<string, string> = {};
    for (const [name, property] of Object.entries(node.properties ?? {}))
      fields[escapedName(name)] = typeOf(property, property["x-kubernetes-embedded-resource"] === true);
    if (isObject) {
      fields["apiVersion"] = fields["kind"] = "string";
      fields["metadata"] = declare({ name: "string", generateName: "string" });
    }
    return declare(fields);
  };
  const type = typeOf(schema, root);
  return typed.registerVariable("self", type).registerVariable("oldSelf", optionalOldSelf ? `optional<${type}>` : type);
}

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  "string date-time": "google.protobuf.Timestamp",
  "string date": "google.protobuf.Timestamp",
  "string duration": "google.protobuf.Duration",
  "string byte": "bytes",
  integer: "int",
  number: "double",
  boolean: "bool",
};
