/** Field selectors: `metadata.name=web,status.phase!=Running`, with escapes; compiled once, matched many times. */
import { ParseError } from "../parse-error.js";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Gives the value of a field, `""` for an absent one. */
export type FieldReader = (field: string) => string;

/** Immutable. Does not validate field names: the server knows which fields a kind has. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly isEverything: boolean;
  readonly isNothing: boolean;
  matches(fields: Readonly<Record<string, string>> | FieldReader): boolean;
  /** The one value that the selector requires of this field, if there is exactly one. */
  exactMatch(field: string): string | undefined;
  /**
   * A selector with each requirement passed through `change`; `undefined` drops the requirement, a throw refuses the
   * selector.
   */
  transform(change: (requirement: FieldRequirement) => FieldRequirement | undefined): FieldSelector;
  toString(): string;
}

function selectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements: Object.freeze([...requirements]),
    isEverything: requirements.length === 0,
    isNothing: false,
    matches(fields) {
      for (const { field, operator, value } of requirements) {
        const found = typeof fields === "function" ? fields(field) : own(fields, field);
        if ((found === value) !== (operator === "=")) return false;
      }
      return true;
    },
    exactMatch: (field) => requirements.find((one) => one.operator === "=" && one.field === field)?.value,
    transform: (change) => selectorOf(requirements.map((one) => change(one)).filter((one) => one !== undefined)),
    toString: () =>
      requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(","),
  };
}

function own(fields: Readonly<Record<string, string>>, field: string): string {
  const value: unknown = fields[field];
  return typeof value === "string" ? value : "";
}

const all = selectorOf([]);

const none: FieldSelector = {
  requirements: [],
  isEverything: false,
  isNothing: true,
  matches: () => false,
  exactMatch: () => undefined,
  transform: () => none,
  toString: () => "",
};

/** No restriction. */
export const everyField = (): FieldSelector => all;

/** Matches no object. */
export const noField = (): FieldSelector => none;

export const newFieldSelector = (...requirements: readonly FieldRequirement[]): FieldSelector =>
  selectorOf(requirements);

/** Requires every field to have exactly this value. */
export function fieldSelectorFromSet(fields: Readonly<Record<string, string>>): FieldSelector {
  return selectorOf(Object.entries(fields).map(([field, value]) => ({ field, operator: "=", value })));
}

/** Puts a backslash before backslash, comma and equals sign. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** Undoes `escapeFieldValue`. */
export function unescapeFieldValue(text: string): string {
  return unescape(text, { input: text, position: 0 });
}

function unescape(text: string, { input, position }: { readonly input: string; readonly position: number }): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = "";
  let at = 0;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    const where = { input, position: position + at };
    if (character === "," || character === "=") {
      const code = character.charCodeAt(0);
      throw new ParseError(`invalid field selector: unescaped character in value: ${code}`, where);
    }
    if (character !== "\\") {
      value += character;
      at += character.length;
      continue;
    }
    const next = text.codePointAt(at + 1);
    const escaped = next === undefined ? "" : String.fromCodePoint(next);
    if (escaped !== "\\" && escaped !== "," && escaped !== "=") {
      throw new ParseError(`invalid field selector: invalid escape sequence: \\${escaped}`, where);
    }
    value += escaped;
    at += 2;
  }
  return value;
}

interface Term {
  readonly text: string;
  readonly position: number;
}

/** The parts between the commas that no backslash precedes. */
function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  let start = 0;
  let escaped = false;
  for (let at = 0; at < text.length; at++) {
    if (escaped) escaped = false;
    else if (text[at] === "\\") escaped = true;
    else if (text[at] === ",") {
      terms.push({ text: text.slice(start, at), position: start });
      start = at + 1;
    }
  }
  terms.push({ text: text.slice(start), position: start });
  return terms.filter((term) => term.text !== "");
}

/** Throws ParseError with the position of the fault. As on a server, terms are sorted and a bare `=` is skipped. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text === "") return all;
  const terms = termsOf(text).sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  const requirements = terms.map(({ text: term, position }): FieldRequirement => {
    const sign = /!=|==|=/.exec(term);
    if (sign === null) {
      throw new ParseError(`invalid selector: '${text}'; can't understand '${term}'`, { input: text, position });
    }
    const after = sign.index + sign[0].length;
    return {
      field: term.slice(0, sign.index),
      operator: sign[0] === "!=" ? "!=" : "=",
      value: unescape(term.slice(after), { input: text, position: position + after }),
    };
  });
  return selectorOf(requirements.filter(({ field, value }) => field !== "" || value !== ""));
}
