/**
 * The JSONPath of printer columns: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`. Parsed once, used
 * for each row.
 */
import { isRecord } from "../../base/members.js";
import { ParseError } from "../../api/index.js";

type Step =
  | { readonly is: "field"; readonly name: string }
  | { readonly is: "index"; readonly at: number }
  | { readonly is: "slice"; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly is: "all" }
  | { readonly is: "deep" }
  | { readonly is: "filter"; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

/** Limits the values that paths pass through: a path that descends repeatedly reaches each value in many ways. */
const maxValues = 10_000;

/** The number of values that paths may still pass through; at 0, nothing more is found. */
export interface Budget {
  left: number;
}

export const newBudget = (): Budget => ({ left: maxValues });

/** Gives all values at the path, within the budget, its own by default; missing keys give none. */
export type JsonPath = (value: unknown, budget?: Budget) => readonly unknown[];

/** Throws ParseError with the position of the fault. */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Parser(text).steps("");
  return (value, budget = newBudget()) => follow(steps, [value], budget);
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Parses steps up to one of the characters in `ends`, or to the end of the text. */
  steps(ends: string): readonly Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length && !ends.includes(this.#text[this.#at] as string)) {
      const char = this.#text[this.#at];
      if (char === ".") this.#dot(steps);
      else if (char === "[") steps.push(this.#bracket());
      else if (char === "$" && steps.length === 0) this.#at++;
      else throw this.#wrong("expected . or [");
    }
    return steps;
  }

  #dot(steps: Step[]): void {
    this.#at++;
    if (this.#text[this.#at] === ".") {
      this.#at++;
      steps.push({ is: "deep" });
    }
    if (this.#text[this.#at] === "[") return;
    if (this.#text[this.#at] === "*") {
      this.#at++;
      steps.push({ is: "all" });
      return;
    }
    const name = this.#take(/(?:\\.|[^.[\]\s=!<>()'"\\])+/y);
    // a dot alone is the value itself
    if (name !== undefined) steps.push({ is: "field", name: name.replaceAll(/\\(.)/g, "$1") });
    else if (steps.at(-1)?.is === "deep") throw this.#wrong("expected a name");
  }

  #bracket(): Step {
    this.#at++;
    const step = this.#inBracket();
    if (this.#text[this.#at] !== "]") throw this.#wrong("expected ]");
    this.#at++;
    return step;
  }

  #inBracket(): Step {
    const quoted = this.#quoted();
    if (quoted !== undefined) return { is: "field", name: quoted };
    if (this.#take(/\*/y) !== undefined) return { is: "all" };
    if (this.#take(/\?\(/y) !== undefined) return this.#filter();
    const range = this.#take(/-?\d*(?::-?\d*){1,2}/y);
    if (range !== undefined) {
      const [from, to, by] = range.split(":").map((part) => (part === "" ? undefined : Number(part)));
      return { is: "slice", from, to, by: by || 1 };
    }
    const index = this.#take(/-?\d+/y);
    if (index !== undefined) return { is: "index", at: Number(index) };
    const name = this.#take(/[\w-]+/y);
    if (name !== undefined) return { is: "field", name };
    throw this.#wrong("expected an index, a name, * or a filter");
  }

  #filter(): Step {
    if (this.#text[this.#at] !== "@") throw this.#wrong("expected @");
    this.#at++;
    const path = this.steps(" =!<>)");
    this.#take(/\s*/y);
    const operator = this.#take(/==|!=|<=|>=|<|>/y) ?? "exists";
    this.#take(/\s*/y);
    const value = operator === "exists" ? undefined : this.#literal();
    this.#take(/\s*/y);
    if (this.#take(/\)/y) === undefined) throw this.#wrong("expected )");
    return { is: "filter", path, operator, value };
  }

  #literal(): unknown {
    const quoted = this.#quoted();
    if (quoted !== undefined) return quoted;
    const word = this.#take(/true|false|null|-?\d+(?:\.\d+)?/y);
    if (word === undefined) throw this.#wrong("expected a value");
    return JSON.parse(word) as unknown;
  }

  #quoted(): string | undefined {
    const text = this.#take(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y);
    return text?.slice(1, -1).replaceAll(/\\(.)/g, "$1");
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #wrong(reason: string): ParseError {
    return new ParseError(reason, { input: this.#text, position: this.#at });
  }
}

function follow(steps: readonly Step[], values: readonly unknown[], budget: Budget): readonly unknown[] {
  let current = values;
  for (const step of steps) {
    const next: unknown[] = [];
    for (const value of current) {
      for (const found of one(step, value, budget)) {
        budget.left--;
        if (budget.left <= 0) return [];
        next.push(found);
      }
    }
    current = next;
  }
  return current;
}

function* one(step: Step, value: unknown, budget: Budget): Generator<unknown> {
  switch (step.is) {
    case "field":
      if (isRecord(value) && Object.hasOwn(value, step.name)) yield value[step.name];
      return;
    case "index":
      if (Array.isArray(value) && value.at(step.at) !== undefined) yield value.at(step.at);
      return;
    case "slice":
      if (Array.isArray(value)) yield* slice(value, step);
      return;
    case "all":
      yield* children(value);
      return;
    case "deep":
      yield* descendants(value);
      return;
    case "filter":
      for (const child of children(value)) if (passes(step, child, budget)) yield child;
  }
}

function* slice(list: readonly unknown[], { from, to, by }: Extract<Step, { is: "slice" }>): Generator<unknown> {
  const at = (given: number): number => (given < 0 ? Math.max(list.length + given, 0) : Math.min(given, list.length));
  const end = at(to ?? list.length);
  if (by > 0) for (let i = at(from ?? 0); i < end; i += by) yield list[i];
}

/** The value and everything in it, from the outside inwards and from left to right. */
function* descendants(value: unknown): Generator<unknown> {
  const open = [[value][Symbol.iterator]()];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { done, value: next } = inner.next();
    if (done === true) open.pop();
    else {
      yield next;
      open.push(children(next)[Symbol.iterator]());
    }
  }
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isRecord(value) ? Object.values(value) : [];
}

function passes(
  { path, operator, value }: Extract<Step, { is: "filter" }>,
  candidate: unknown,
  budget: Budget,
): boolean {
  const [found] = follow(path, [candidate], budget);
  if (found === undefined) return false;
  switch (operator) {
    case "exists":
      return true;
    case "==":
      return found === value;
    case "!=":
      return found !== value;
    default:
      return ordered(operator, found, value);
  }
}

function ordered(operator: string, left: unknown, right: unknown): boolean {
  if (typeof left !== typeof right || (typeof left !== "number" && typeof left !== "string")) return false;
  const [a, b] = [left, right as number | string];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}
