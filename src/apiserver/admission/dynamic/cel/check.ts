/** Looks at the expressions of a policy or webhook when they are written: do they compile, and do they give what is wanted of them? To validation. */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { complaint, definite, isBeyondDoubt } from "../../../crd/cel/check.js";
import { type CelError, language } from "../../../crd/cel/environment.js";
import { registerAuthorizer } from "./authorizer-library.js";
import { withoutObjectLiterals } from "./object-literals.js";

/** Which names an expression may use besides those of the request. */
export interface Names {
  readonly params: boolean;
  /** Undefined: none are known here. */
  readonly variables: readonly string[] | undefined;
  readonly authorizer: boolean;
}

/** What an expression must give, in upstream's words, and the type that the checker has for it. */
export const results = {
  bool: { wanted: "bool", type: "bool" },
  string: { wanted: "string", type: "string" },
  annotation: { wanted: "one of [string null_type]", type: "string" },
  /** Objects and patches are maps for the checker. */
  object: { wanted: "Object", type: "" },
  patch: { wanted: "list(JSONPatch)", type: "" },
  anything: { wanted: "", type: undefined },
} as const;

/** Undefined if nothing is wrong beyond doubt. */
export function expressionFault(expression: string, names: Names, result: keyof typeof results): string | undefined {
  const plain = withoutObjectLiterals(expression);
  const failed = (error: CelError): string =>
    plain === expression
      ? `compilation failed: ${complaint(expression, error)}`
      : `compilation failed: ERROR: <input>: ${error.summary ?? error.message}`;
  const loose = checked(environmentFor(names, "dyn"), plain);
  if (!loose.valid && loose.error) return failed(loose.error);
  const strict = checked(environmentFor(names, "typed"), plain);
  if (!strict.valid && strict.error && isBeyondDoubt(strict.error)) return failed(strict.error);
  const { wanted, type } = results[result];
  if (type === undefined) return undefined;
  const given = isAnything(loose.ast) ? "dyn" : loose.type;
  const certain = given !== undefined && (given === "dyn" ? isAnything(loose.ast) : definite.has(given));
  return certain && given !== type ? `must evaluate to ${wanted} but got ${given}` : undefined;
}

interface Checked {
  readonly valid: boolean;
  readonly error: CelError | undefined;
  readonly type: string | undefined;
  readonly ast: ASTNode | undefined;
}

function checked(environment: Environment, expression: string): Checked {
  try {
    const parsed = environment.parse(expression);
    const { valid, error, type } = parsed.check();
    return { valid, error: error as CelError | undefined, type, ast: parsed.ast };
  } catch (error) {
    return { valid: false, error: error as CelError, type: undefined, ast: undefined };
  }
}

const untyped = new Set(["object", "oldObject", "params", "namespaceObject"]);

/** A member of something of which no type is known. */
function isAnything(node: ASTNode | undefined): boolean {
  if (node === undefined) return false;
  const { op, args } = node as { readonly op: string; readonly args: unknown };
  if (op === "id") return untyped.has(args as string);
  return op === "." && isAnything((args as readonly ASTNode[])[0]);
}

const name = { group: "string", version: "string" } as const;

function environmentFor({ params, variables, authorizer }: Names, form: "dyn" | "typed"): Environment {
  const environment = language().clone();
  registerAuthorizer(environment);
  for (const known of ["object", "oldObject", "namespaceObject"]) environment.registerVariable(known, "dyn");
  if (params) environment.registerVariable("params", "dyn");
  if (authorizer) environment.registerVariable("authorizer", "kubernetes.authorization.Authorizer");
  const declare = (type: string, fields: Record<string, string>): string => {
    environment.registerType(type, { ctor: class {}, fields });
    return type;
  };
  if (form === "dyn") environment.registerVariable("request", "dyn");
  else {
    const kind = declare("kubernetes.GroupVersionKind", { ...name, kind: "string" });
    const resource = declare("kubernetes.GroupVersionResource", { ...name, resource: "string" });
    const userInfo = declare("kubernetes.UserInfo", {
      username: "string",
      uid: "string",
      groups: "list<string>",
      extra: "dyn",
    });
    const texts = ["subResource", "requestSubResource", "name", "namespace", "operation"];
    const fields = {
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      userInfo,
      dryRun: "bool",
      options: "dyn",
    };
    const all = { ...fields, ...Object.fromEntries(texts.map((text) => [text, "string"])) };
    environment.registerVariable("request", declare("kubernetes.AdmissionRequest", all));
  }
  if (variables === undefined) return environment;
  const known = Object.fromEntries(variables.map((variable) => [variable, "dyn"]));
  return environment.registerVariable("variables", form === "dyn" ? "dyn" : declare("kubernetes.variables", known));
}
