/** Expressions of configuration files about claims, users and requests: compiles and evaluates them. */
import { own } from "../../../base/members.js";
import type { CelEnvironment } from "../checker/environment.js";
import { compiledOrFault, evaluate } from "../compile.js";
import { kubernetesFunctions } from "../kubernetes/libraries.js";
import { type Expr, partsOf } from "../syntax/ast.js";
import { costExceeded, costLimits } from "../values/meter.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";
import { CelList, type Value } from "../values/value.js";

/** The subject of an expression: the claims of a token, the user that they make, or a request for access. */
export type IdentitySubject = "claims" | "user" | "request";

/** A compiled expression. */
export interface IdentityExpression {
  readonly text: string;
  /** The value of the expression; an Error that says which expression has failed, and why. */
  run(subject: Value): Value | Error;
  /** Whether the expression reads this member of its subject. */
  reads(member: string): boolean;
}

const { string } = types;
const texts = types.list(string);
const struct = (name: string): Type => types.struct(`kubernetes.${name}`);

const structs: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  "kubernetes.UserInfo": { username: string, uid: string, groups: texts, extra: types.map(string, texts) },
  "kubernetes.SubjectAccessReviewSpec": {
    resourceAttributes: struct("ResourceAttributes"),
    nonResourceAttributes: struct("NonResourceAttributes"),
    user: string,
    groups: texts,
    extra: types.map(string, texts),
    uid: string,
  },
  "kubernetes.ResourceAttributes": {
    namespace: string,
    verb: string,
    group: string,
    version: string,
    resource: string,
    subresource: string,
    name: string,
    fieldSelector: struct("FieldSelectorAttributes"),
    labelSelector: struct("LabelSelectorAttributes"),
  },
  "kubernetes.NonResourceAttributes": { path: string, verb: string },
  "kubernetes.FieldSelectorAttributes": {
    rawSelector: string,
    requirements: types.list(struct("SelectorRequirement")),
  },
  "kubernetes.LabelSelectorAttributes": {
    rawSelector: string,
    requirements: types.list(struct("SelectorRequirement")),
  },
  "kubernetes.SelectorRequirement": { key: string, operator: string, values: texts },
};

const subjects: Readonly<Record<IdentitySubject, Type>> = {
  claims: types.map(string, types.any),
  user: struct("UserInfo"),
  request: struct("SubjectAccessReviewSpec"),
};

const environmentOf = (subject: IdentitySubject): CelEnvironment => ({
  functions: kubernetesFunctions,
  variables: new Map([[subject, subjects[subject]]]),
  types: {
    fieldType: (name, field) => own(own(structs, name), field),
    named: (name) => (Object.hasOwn(structs, name) ? types.struct(name) : undefined),
  },
});

/** Gives a text about the fault of an expression that cannot be used. */
export function identityExpression(
  text: string,
  subject: IdentitySubject,
  result: "bool" | "any",
): IdentityExpression | string {
  const compiled = compiledOrFault(text, environmentOf(subject));
  if (typeof compiled === "string") return compiled;
  const { checked, program } = compiled;
  if (result === "bool" && checked.type.kind !== "bool") {
    const got = subject === "request" ? ` but got ${types.resultText(checked.type)}` : "";
    return `must evaluate to bool${got}`;
  }
  if (program.fault !== undefined) return `program instantiation failed: ${program.fault}`;
  return {
    text,
    run(value) {
      const outcome = evaluate(program, (name) => (name === subject ? value : null), costLimits.perCall);
      if (outcome.type === "value") return outcome.value;
      const why = outcome.type === "error" ? outcome.message : costExceeded;
      return new Error(`expression '${text}' resulted in error: ${why}`);
    },
    reads: (member) => selects(checked.expr, subject, member),
  };
}

/** Whether `operand.member` or `operand.?member` stands anywhere in the expression. */
function selects(expr: Expr, operand: string, member: string): boolean {
  const isOperand = (part: Expr | undefined): boolean => part?.type === "ident" && part.name === operand;
  if (expr.type === "select" && expr.field === member && isOperand(expr.operand)) return true;
  if (expr.type === "call" && expr.name === "_?._" && isOperand(expr.args[0])) {
    const [, field] = expr.args;
    if (field?.type === "literal" && field.value === member) return true;
  }
  return partsOf(expr).some((part) => selects(part, operand, member));
}

/** A text or a list of texts as a list without empty ones; undefined if the value is something else. Null is nothing. */
export function textsOf(value: Value): readonly string[] | undefined {
  if (value === null) return [];
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!(value instanceof CelList)) return undefined;
  const list: string[] = [];
  for (let index = 0; index < value.size; index++) {
    const item = value.at(index);
    if (typeof item !== "string") return undefined;
    if (item !== "") list.push(item);
  }
  return list;
}
