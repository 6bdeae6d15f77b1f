/** Evaluates CEL expressions about a request: compiled once, run with the names that match conditions and policies may use. */
import { getOrMake, Recent } from "../../../base/containers/recent.js";
import type { KubeObject, MatchCondition, Variable } from "../../../api/index.js";
import { withoutManagedFields } from "../../../api/meta/managed-fields.js";
import { type Decide, Undecided } from "../../contracts/authorizer.js";
import type { WaitingSteps } from "../../../base/index.js";
import { compile as compileIn, evaluate } from "../../cel/compile.js";
import { costExceeded, CostExceeded, costLimits, Meter } from "../../cel/values/meter.js";
import type { Program } from "../../cel/evaluate/program.js";
import { CelAuthorizer, ResourceCheck } from "../../cel/kubernetes/authorizer.js";
import { CelSyntaxError } from "../../cel/syntax/source.js";
import { fromJson, toJson } from "../../cel/values/json.js";
import { CelMap, ErrorValue, type Value } from "../../cel/values/value.js";
import type { Store } from "../../storage/contract.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { type Match, placeOf } from "./matching.js";
import { describeRequest, optionsOf } from "./review.js";
import { inVersion } from "./versions.js";
import { environmentFor } from "../../cel/requests/environment.js";
import { joinedErrors } from "../../../api/errors/field-error.js";

/** The request that an expression is about. */
interface Subject {
  readonly request: AdmissionRequest;
  readonly match: Match;
  /** Null if there are no parameters; undefined if the hook takes none. */
  readonly params: KubeObject | null | undefined;
  /** Answers the questions of `authorizer`. An expression whose question must wait throws an Undecided. */
  readonly decide: Decide;
  readonly variables?: readonly Variable[];
  /** The result of earlier mutations, in the version of the match; replaces the request's object. */
  readonly object?: KubeObject;
}

/** The value as JSON. */
type Outcome = { readonly value: unknown } | { readonly error: string };

export interface Expressions {
  run(expression: string, context: Context): Outcome;
  context(subject: Subject): Context;
  /** False if one condition is false; an error if one fails and none is false. */
  conditionsHold(conditions: readonly MatchCondition[], subject: Subject): boolean | { readonly error: string };
}

/** The values of all names, and the cost budget that is left for expressions about them. */
export interface Context {
  value(name: string): Value;
  /** The cost that is left; below zero, no more expressions are run. */
  left: number;
}

/** Runs expressions that have no effect but their result; waits for a decision that they need, and runs them again. */
export function* settled<T>(run: () => T): WaitingSteps<T> {
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      yield error.answered;
    }
  }
}

const maxKept = 500;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** Variables may have any type here: their types were checked when the policy was written. */
const environment = environmentFor({ params: true, variables: "any", authorizer: true, patches: true });

/** Throws a CelSyntaxError. */
const compile = (expression: string): Program => compileIn(expression, environment).program;

export function createExpressions(store: Store): Expressions {
  const programs = new Recent<string, Program>({ weight: maxKept });
  const programOf = (expression: string): Program => getOrMake(programs, expression, () => compile(expression));
  const run = (expression: string, context: Context): Outcome => {
    if (context.left < 0) return { error: outOfBudget };
    let program: Program;
    try {
      program = programOf(expression);
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
      return { error: `compilation error: compilation failed: ${error.message}` };
    }
    const result = evaluate(program, (name) => context.value(name), costLimits.perCall);
    context.left -= result.cost;
    if (context.left < 0) return { error: outOfBudget };
    const failed = (why: string): Outcome => ({ error: `expression '${expression}' resulted in error: ${why}` });
    if (result.type === "too costly") return failed(costExceeded);
    if (result.type === "error") return failed(result.message);
    const value = jsonOf(result.value);
    return value instanceof ErrorValue ? failed(value.message) : { value };
  };
  const context = (subject: Subject, budget: number = costLimits.perObject): Context =>
    contextOf(subject, { store, programOf, budget });
  return {
    run,
    context,
    conditionsHold(conditions, subject) {
      const about = context(subject, costLimits.perConditions);
      const errors: string[] = [];
      for (const { expression } of conditions) {
        const outcome = run(expression, about);
        if ("error" in outcome) errors.push(outcome.error);
        else if (outcome.value !== true) return false;
      }
      return errors.length === 0 || { error: joinedErrors(errors) };
    },
  };
}

function jsonOf(value: Value): unknown {
  try {
    return toJson(value, new Meter());
  } catch (error) {
    if (error instanceof CostExceeded) return new ErrorValue(costExceeded);
    throw error;
  }
}

interface Sources {
  readonly store: Store;
  programOf(expression: string): Program;
  readonly budget: number;
}

/** Each value is made at its first use: most expressions read one or two. */
function contextOf(subject: Subject, { store, programOf, budget }: Sources): Context {
  const { request, match, params, decide, variables = [] } = subject;
  const asking = { decide, user: request.user };
  const makers: Readonly<Record<string, () => Value>> = {
    object: () => fromJson(subject.object ?? inVersion(match, request.object)),
    oldObject: () => fromJson(inVersion(match, request.old)),
    request: () => fromJson({ ...describeRequest(request, match), options: optionsOf(request) }),
    params: () => fromJson(params),
    namespaceObject: () => fromJson(namespaceOf(request, store)),
    authorizer: () => new CelAuthorizer(asking),
    "authorizer.requestResource": () => new ResourceCheck(asking, aboutOf(request)),
    variables: () => new LazyVariables(variables, evaluated),
  };
  const made = new Map<string, Value>();
  const context: Context = {
    left: budget,
    value: (name) => getOrMake(made, name, makers[name] ?? (() => new ErrorValue(`no such attribute: ${name}`))),
  };
  const evaluated = ({ name, expression }: Variable): Value => {
    // a variable has a limit of its own, within the limit of the context
    const limit = Math.min(costLimits.perCall, context.left);
    if (limit < 0) throw new CostExceeded();
    const result = evaluate(programOf(expression), (known) => context.value(known), limit);
    context.left -= result.cost;
    if (context.left < 0) throw new CostExceeded();
    if (result.type === "value") return result.value;
    const why = result.type === "error" ? result.message : costExceeded;
    return new ErrorValue(`composited variable ${JSON.stringify(name)} fails to evaluate: ${why}`);
  };
  return context;
}

/** Limit on the nesting of variables that use variables. */
const maxVariableDepth = 100;

/**
 * Invariants:
 * 1. A variable is evaluated at most once.
 * 2. A variable that is used during its own evaluation is an error, not an endless loop.
 * 3. `#depth` counts the variables that are being evaluated.
 */
class LazyVariables extends CelMap {
  readonly #variables: ReadonlyMap<string, Variable>;
  readonly #evaluate: (variable: Variable) => Value;
  readonly #values = new Map<string, Value>();
  #depth = 0;

  constructor(variables: readonly Variable[], evaluateOne: (variable: Variable) => Value) {
    super();
    this.#variables = new Map(variables.map((variable) => [variable.name, variable]));
    this.#evaluate = evaluateOne;
  }

  get size(): number {
    return this.#variables.size;
  }

  get(key: Value): Value | undefined {
    const variable = typeof key === "string" ? this.#variables.get(key) : undefined;
    if (variable === undefined) return undefined;
    const known = this.#values.get(variable.name);
    if (known !== undefined) return known;
    this.#values.set(variable.name, new ErrorValue(`variable ${JSON.stringify(variable.name)} speaks of itself`));
    if (this.#depth >= maxVariableDepth) return new ErrorValue("variables speak of one another too deeply");
    this.#depth++;
    try {
      const value = this.#evaluate(variable);
      this.#values.set(variable.name, value);
      return value;
    } catch (error) {
      // an evaluation that must wait for a decision is begun again
      this.#values.delete(variable.name);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  keys(): readonly Value[] {
    return [...this.#variables.keys()];
  }
}

function namespaceOf(request: AdmissionRequest, store: Store): KubeObject | undefined {
  const place = request.kind.kind === "Namespace" && request.kind.group === "" ? "" : placeOf(request);
  const found = place === "" ? undefined : store.get("namespaces", place)?.object;
  return found && withoutManagedFields(found);
}

function aboutOf({
  resource,
  subresource,
  namespace,
  name,
}: AdmissionRequest): ConstructorParameters<typeof ResourceCheck>[1] {
  const { group, version, resource: plural } = resource;
  return { group, version, resource: plural, subresource, namespace, name };
}
