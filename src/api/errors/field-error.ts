/** The fault of one field: made by the field's path, and printed exactly as the causes of a 422 answer. */

export const fieldErrorTitles = {
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

export type FieldErrorReason = keyof typeof fieldErrorTitles;

/**
 * Plain data that can stand as a cause in a Status: `field` is the printed path, `message` the text without the path.
 */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly message: string;
  readonly field: string;
}

/** `field: message`. */
export function printFieldError({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

/** All errors as one text: a single error as it is, several in brackets without duplicates, `""` for none. */
export function printFieldErrors(errors: readonly FieldError[]): string {
  return joinedErrors(errors.map((error) => printFieldError(error)));
}

/** The same of errors that are texts already. */
export function joinedErrors(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] as string) : texts.length === 0 ? "" : `[${texts.join(", ")}]`;
}
