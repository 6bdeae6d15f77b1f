/** Options that users give: checked where they come in, so that a mistake is named there and not felt elsewhere. */
import { inspect } from "node:util";
import { checkNumber, type NumberRule } from "./numbers.js";
import { isRecord } from "../members.js";

/** The rule of an option: a number in a range, or a value of a form. */
export type OptionRule = NumberRule | "function" | "text" | "boolean" | "list" | "object";

export interface OptionsCheck {
  /** Whose options they are, for the error: `controller web`. */
  readonly of: string;
  /** Every option there is, with its rule. */
  readonly rules: Readonly<Record<string, OptionRule>>;
  readonly required?: readonly string[];
}

const forms: Readonly<Record<Exclude<OptionRule, NumberRule>, [string, (value: unknown) => boolean]>> = {
  function: ["a function", (value) => typeof value === "function"],
  text: ["a text that is not empty", (value) => typeof value === "string" && value !== ""],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  list: ["an array", (value) => Array.isArray(value)],
  object: ["an object", isRecord],
};

/**
 * Throws if a required option is missing, an option has the wrong form, or there is no option of that name: a misspelt one would do
 * nothing, without a word. `undefined` counts as not given.
 */
export function checkOptions(options: unknown, { of, rules, required = [] }: OptionsCheck): void {
  if (!forms.object[1](options)) throw new TypeError(`${of}: ${shown(options)} is no object of options`);
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name))
      throw new TypeError(`${of}: there is no option ${name}; there are ${Object.keys(rules).join(", ")}`);
  }
  for (const name of required) {
    if (given[name] === undefined) throw new TypeError(`${of}: ${name} is missing`);
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = given[name];
    if (value === undefined) continue;
    if (typeof rule === "object") checkNumber(`${of}: ${name}`, value, rule);
    else if (!forms[rule][1](value))
      throw new TypeError(`${of}: ${name} must be ${forms[rule][0]}, not ${shown(value)}`);
  }
}

/** A value in an error message: as it would stand in a program, in one line that is not too long. */
export function shown(value: unknown): string {
  const text = typeof value === "function" ? `the function ${value.name || "()"}` : inspect(value, inLine);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

const longest = 80;
const inLine = { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 3, maxStringLength: longest };
