/** Takes parsed JSON and the form that it should have; refuses unknown fields and wrong types in the words of Go's decoder. */
import { goQuote, ParseError, parseDuration } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import { isRecord } from "../../base/members.js";

/** A configuration that cannot be used. */
export class SchedulerConfigurationError extends Error {
  override readonly name = "SchedulerConfigurationError";
}

type ScalarForm = "string" | "bool" | "int32" | "int64" | "float32" | "duration";

/** Any value is accepted where the form is `any`: it is decoded later. */
export type Form = ScalarForm | "any" | ListForm | StructForm;

interface ListForm {
  readonly list: Form;
}

export interface StructForm {
  /** The name of Go's type. */
  readonly type: string;
  readonly fields: Readonly<Record<string, Form>>;
}

/** Throws for the first wrong type; gives the unknown fields. `null` counts as absent. */
export function unknownFields(value: unknown, form: StructForm): readonly string[] {
  const unknown: string[] = [];
  new Walk(unknown).struct(value, form, { shown: "", stack: [], type: "" });
  return unknown;
}

interface Place {
  /** As the list of unknown fields shows it: `profiles[0].plugins`. */
  readonly shown: string;
  /** As the decoder names it: without indices. */
  readonly stack: readonly string[];
  /** The type of the surrounding struct. */
  readonly type: string;
}

class Walk {
  readonly #unknown: string[];

  constructor(unknown: string[]) {
    this.#unknown = unknown;
  }

  struct(value: unknown, { type, fields }: StructForm, place: Place): void {
    if (!isRecord(value)) throw mismatch(value, `v1.${type}`, place);
    for (const [name, member] of Object.entries(value)) {
      const shown = place.shown === "" ? name : `${place.shown}.${name}`;
      if (!Object.hasOwn(fields, name)) {
        this.#unknown.push(shown);
        continue;
      }
      this.#check(member, fields[name] as Form, { shown, stack: [...place.stack, name], type });
    }
  }

  #check(value: unknown, form: Form, place: Place): void {
    if (value === null || form === "any") return;
    if (typeof form === "string") return scalar(value, form, place);
    if (!("list" in form)) return this.struct(value, form, place);
    if (!Array.isArray(value)) throw mismatch(value, goType(form), place);
    for (const [index, item] of value.entries()) {
      this.#check(item, form.list, { ...place, shown: `${place.shown}[${index}]` });
    }
  }
}

const goType = (form: Form): string =>
  typeof form === "string" ? form : "list" in form ? `[]${goType(form.list)}` : `v1.${form.type}`;

function scalar(value: unknown, form: ScalarForm, place: Place): void {
  switch (form) {
    case "string":
      if (typeof value !== "string") throw mismatch(value, form, place);
      return;
    case "bool":
      if (typeof value !== "boolean") throw mismatch(value, form, place);
      return;
    case "float32":
      if (typeof value !== "number") throw mismatch(value, form, place);
      return;
    case "duration":
      return duration(value);
    default:
      if (typeof value !== "number") throw mismatch(value, form, place);
      if (!Number.isInteger(value) || (form === "int32" && Math.abs(value) > 2 ** 31 - 1)) {
        throw mismatch(value, form, place, `number ${value}`);
      }
  }
}

function duration(value: unknown): void {
  if (typeof value !== "string") {
    throw new SchedulerConfigurationError(`json: cannot unmarshal ${jsonType(value)} into Go value of type string`);
  }
  try {
    parseDuration(value);
  } catch (error) {
    throw new SchedulerConfigurationError(error instanceof ParseError ? error.reason : messageOf(error), {
      cause: error,
    });
  }
}

function mismatch(value: unknown, goTypeName: string, { stack, type }: Place, shown = jsonType(value)): Error {
  const into = type === "" ? "value" : `struct field ${type}.${stack.join(".")}`;
  return new SchedulerConfigurationError(`json: cannot unmarshal ${shown} into Go ${into} of type ${goTypeName}`);
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** `strict decoding error: unknown field "a", unknown field "b"`; undefined if there is none. */
export const strictError = (unknown: readonly string[]): string | undefined =>
  unknown.length === 0
    ? undefined
    : `strict decoding error: ${unknown.map((name) => `unknown field ${goQuote(name)}`).join(", ")}`;
