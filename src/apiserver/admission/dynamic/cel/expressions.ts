/** CEL about a request: compiled once, run with the names that webhooks' conditions and policies may use. To webhooks and policies. */
import type { Environment } from "@marcbachmann/cel-js";
import type { KubeObject, MatchCondition, Variable } from "../../../../api/index.js";
import type { Authorizer } from "../../../auth/authorize.js";
import { type CelError, language } from "../../../crd/cel/environment.js";
import { costLimits, evaluate, meter } from "../../../crd/cel/metering.js";
import { celValue } from "../../../crd/cel/values.js";
import type { Store } from "../../../storage/storage.js";
import type { AdmissionRequest } from "../../admission.js";
import { CelAuthorizer, registerAuthorizer } from "./authorizer-library.js";
import { type Match, placeOf } from "../matching.js";
import { withoutObjectLiterals } from "./object-literals.js";
import { describeRequest, optionsOf } from "../review.js";
import { shown } from "../versions.js";

/** What an expression is about. */
export interface Subject {
  readonly request: AdmissionRequest;
  readonly match: Match;
  /** Null: there are none. Undefined: the hook knows no parameters. */
  readonly params: KubeObject | null | undefined;
  readonly variables?: readonly Variable[];
  /** Instead of the request's object, in the version of the match: what earlier mutations made of it. */
  readonly object?: KubeObject;
}

export type Outcome = { readonly value: unknown } | { readonly error: string };

export interface Expressions {
  run(expression: string, context: Context): Outcome;
  context(subject: Subject): Context;
  /** False if one of them is; an error if one fails and none is false. */
  conditionsHold(conditions: readonly MatchCondition[], subject: Subject): boolean | { readonly error: string };
}

/** The values of all names. */
export type Context = Readonly<Record<string, unknown>>;

type Program = (context: Context) => unknown;

let shared: Environment | undefined;

function environment(): Environment {
  if (shared === undefined) {
    shared = language().clone();
    registerAuthorizer(shared);
    for (const name of ["object", "oldObject", "request", "params", "namespaceObject", "variables"])
      shared.registerVariable(name, "dyn");
    shared.registerVariable("authorizer", "kubernetes.authorization.Authorizer");
  }
  return shared;
}

/** Throws a CelError. */
export function compile(expression: string): Program {
  const parsed = environment().parse(withoutObjectLiterals(expression));
  const { valid, error } = parsed.check();
  if (!valid && error !== undefined) throw error;
  meter(parsed.ast);
  return parsed as unknown as Program;
}

const maxKept = 1000;

export function createExpressions({ store, authorizer }: { store: Store; authorizer: Authorizer }): Expressions {
  const programs = new Map<string, Program>();
  const programOf = (expression: string): Program => {
    let program = programs.get(expression);
    if (program === undefined) {
      program = compile(expression);
      if (programs.size >= maxKept) programs.clear();
      programs.set(expression, program);
    }
    return program;
  };
  const run = (expression: string, context: Context): Outcome => {
    let program: Program;
    try {
      program = programOf(expression);
    } catch (error) {
      return { error: `compilation error: compilation failed: ${summaryOf(error)}` };
    }
    const result = evaluate(() => program(context), costLimits.perCall);
    if (result.type === "value") return { value: result.value };
    if (result.type === "too costly")
      return { error: "validation failed due to running out of cost budget, no further validation rules will be run" };
    return { error: `expression '${expression}' resulted in error: ${summaryOf(result.error)}` };
  };
  const context = (subject: Subject): Context => contextOf(subject, { store, authorizer, programOf });
  return {
    run,
    context,
    conditionsHold(conditions, subject) {
      const about = context(subject);
      const errors: string[] = [];
      for (const { expression } of conditions) {
        const outcome = run(expression, about);
        if ("error" in outcome) errors.push(outcome.error);
        else if (outcome.value !== true) return false;
      }
      if (errors.length === 0) return true;
      return { error: errors.length === 1 ? (errors[0] as string) : `[${errors.join(", ")}]` };
    },
  };
}

function summaryOf(error: unknown): string {
  const { summary, code, message } = error as CelError;
  return code === "no_such_key" ? (summary ?? "").replace("No such key", "no such key") : (summary ?? message);
}

interface Sources {
  readonly store: Store;
  readonly authorizer: Authorizer;
  programOf(expression: string): Program;
}

/** Made when they are asked for: most expressions look at one or two. */
function contextOf(subject: Subject, { store, authorizer, programOf }: Sources): Context {
  const { request, match, params, variables = [] } = subject;
  const context: Record<string, unknown> = {};
  const offer = (name: string, make: () => unknown): void => lazily(context, name, make);
  offer("object", () => celValue(subject.object ?? shown(match, request.object), undefined));
  offer("oldObject", () => celValue(shown(match, request.old), undefined));
  offer("request", () => celValue({ ...describeRequest(request, match), options: optionsOf(request) }, undefined));
  offer("params", () => celValue(params, undefined));
  offer("namespaceObject", () => celValue(namespaceOf(request, store), undefined));
  offer("authorizer", () => new CelAuthorizer(authorizer, request.user, aboutOf(request)));
  offer("variables", () => {
    const values: Record<string, unknown> = {};
    for (const { name, expression } of variables) lazily(values, name, () => programOf(expression)(context));
    return values;
  });
  return context;
}

function lazily(values: Record<string, unknown>, name: string, make: () => unknown): void {
  Object.defineProperty(values, name, {
    configurable: true,
    enumerable: true,
    get: () => {
      const value = make();
      Object.defineProperty(values, name, { value, enumerable: true });
      return value;
    },
  });
}

function namespaceOf(request: AdmissionRequest, store: Store): KubeObject | undefined {
  const place = request.kind.kind === "Namespace" && request.kind.group === "" ? "" : placeOf(request);
  const found = place === "" ? undefined : store.get("namespaces", place)?.object;
  if (found === undefined) return undefined;
  const { managedFields: _, ...metadata } = found.metadata;
  return { ...found, metadata };
}

function aboutOf({
  resource,
  subresource,
  namespace,
  name,
}: AdmissionRequest): ConstructorParameters<typeof CelAuthorizer>[2] {
  const { group, version, resource: plural } = resource;
  return { group, version, resource: plural, subresource, namespace, name };
}
