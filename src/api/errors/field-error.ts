/** The fault of one field: made by validation, and printed exactly as the causes of a 422 answer. */
import { goJson, goQuote } from "../go-quote.js";
import type { FieldPath } from "./field-path.js";

const titles = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
} as const;

export type FieldErrorReason = keyof typeof titles;

/**
 * Plain data that can stand as a cause in a Status: `field` is the printed path, `message` the text without the path.
 */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly message: string;
  readonly field: string;
}

type At = FieldPath | string | undefined;

function make(
  reason: FieldErrorReason,
  at: At,
  more: { readonly value?: string; readonly detail?: string },
): FieldError {
  let message: string = titles[reason];
  if (more.value !== undefined) message += `: ${more.value}`;
  if (more.detail !== undefined && more.detail !== "") message += `: ${more.detail}`;
  return { reason, message, field: at === undefined ? "<nil>" : String(at) };
}

/** A value as messages show it: text in Go's quotes, anything else as Go's JSON; `undefined` is `null`. */
function printFieldValue(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : goJson(value);
}

/** The value is malformed: wrong form, out of range, or changed although immutable. */
export function fieldInvalid(at: At, value: unknown, detail: string): FieldError {
  return make("FieldValueInvalid", at, { value: printFieldValue(value), detail });
}

/** The value has the wrong JSON type. */
export function fieldTypeInvalid(at: At, value: unknown, detail: string): FieldError {
  return make("FieldValueTypeInvalid", at, { value: printFieldValue(value), detail });
}

/** The value is missing, or empty where that is not allowed. */
export function fieldRequired(at: At, detail = ""): FieldError {
  return make("FieldValueRequired", at, { detail });
}

/** The value is not one of an enumeration; `supported` is listed in the order given. */
export function fieldNotSupported(at: At, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map((one) => goQuote(one)).join(", ")}`;
  return make("FieldValueNotSupported", at, { value: printFieldValue(value), detail });
}

/** The value is well formed, but not permitted here. */
export function fieldForbidden(at: At, detail: string): FieldError {
  return make("FieldValueForbidden", at, { detail });
}

/** Another item has the same identity. */
export function fieldDuplicate(at: At, value: unknown): FieldError {
  return make("FieldValueDuplicate", at, { value: printFieldValue(value) });
}

/** The value refers to an object that does not exist. */
export function fieldNotFound(at: At, value: unknown): FieldError {
  return make("FieldValueNotFound", at, { value: printFieldValue(value) });
}

/** The value has more than `maxLength` bytes; it is not shown. */
export function fieldTooLong(at: At, maxLength: number): FieldError {
  return make("FieldValueTooLong", at, { detail: `may not be more than ${count(maxLength, "byte")}` });
}

/** The value has more than `maxLength` characters (not bytes). */
export function fieldTooLongCharacters(at: At, maxLength: number): FieldError {
  return make("FieldValueTooLong", at, { detail: `may not be more than ${count(maxLength, "character")}` });
}

/** The value has fewer than `minLength` characters. */
export function fieldTooShort(at: At, minLength: number): FieldError {
  return make("FieldValueTooShort", at, { detail: `must be at least ${count(minLength, "character")}` });
}

/** A list with more than `maximum` items; `actual` is shown if it is given. */
export function fieldTooMany(at: At, actual: number | undefined, maximum: number): FieldError {
  const detail = `must have at most ${count(maximum, "item")}`;
  return make("FieldValueTooMany", at, actual === undefined ? { detail } : { value: String(actual), detail });
}

/** A list with fewer than `minimum` items. */
export function fieldTooFew(at: At, actual: number | undefined, minimum: number): FieldError {
  const detail = `must have at least ${count(minimum, "item")}`;
  return make("FieldValueTooFew", at, actual === undefined ? { detail } : { value: String(actual), detail });
}

/** The server failed; the sender is not at fault. */
export function fieldInternal(at: At, detail: string): FieldError {
  return make("InternalError", at, { detail });
}

function count(n: number, what: string): string {
  return n === 1 ? `${n} ${what}` : `${n} ${what}s`;
}

/** `field: message`. */
export function printFieldError({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

/** All errors as one text: a single error as it is, several in brackets without duplicates, `""` for none. */
export function printFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => printFieldError(error)))];
  return texts.length === 1 ? (texts[0] as string) : texts.length === 0 ? "" : `[${texts.join(", ")}]`;
}
