/** The path of a field in an object, as error causes name it (`spec.containers[0].name`), and the faults of that field. */
import { goJson, goQuote } from "../go-quote.js";
import { type FieldError, type FieldErrorReason, fieldErrorTitles } from "./field-error.js";

/** A value as messages show it: text in Go's quotes, anything else as Go's JSON; `undefined` is `null`. */
const printed = (value: unknown): string => (typeof value === "string" ? goQuote(value) : goJson(value));

const count = (n: number, noun: string): string => (n === 1 ? `${n} ${noun}` : `${n} ${noun}s`);

/**
 * A path is immutable; `child`, `index` and `key` give longer ones. It is a chain of small steps and turns into text
 * only when an error is made, so that valid objects cost no string building.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string | number;
  readonly #subscript: boolean;

  constructor(step: string | number, parent?: FieldPath, subscript = false) {
    this.#parent = parent;
    this.#step = step;
    this.#subscript = subscript;
  }

  /** `path.child("spec", "replicas")` is `path.spec.replicas`. */
  child(name: string, ...more: readonly string[]): FieldPath {
    let path = new FieldPath(name, this);
    for (let i = 0; i < more.length; i++) path = new FieldPath(more[i] as string, path);
    return path;
  }

  /** An item of a list: `path[3]`. */
  index(index: number): FieldPath {
    return new FieldPath(index, this, true);
  }

  /** The items of the list at this path, each with its own path. */
  items<T>(list: readonly T[] = []): readonly (readonly [at: FieldPath, item: T])[] {
    return list.map((item, index) => [this.index(index), item]);
  }

  /** An entry of a map: `path[app]`. */
  key(key: string): FieldPath {
    return new FieldPath(key, this, true);
  }

  toString(): string {
    const own = this.#subscript ? `[${this.#step}]` : `${this.#step}`;
    if (this.#parent === undefined) return own;
    return this.#subscript ? `${this.#parent}${own}` : `${this.#parent}.${own}`;
  }

  /** The value is malformed: wrong form, out of range, or changed although immutable. */
  invalid(value: unknown, detail: string): FieldError {
    return this.#fault("FieldValueInvalid", printed(value), detail);
  }

  /** The value has the wrong JSON type. */
  typeInvalid(value: unknown, detail: string): FieldError {
    return this.#fault("FieldValueTypeInvalid", printed(value), detail);
  }

  /** The value is missing, or empty where that is not allowed. */
  required(detail = ""): FieldError {
    return this.#fault("FieldValueRequired", "", detail);
  }

  /** The value is not one of an enumeration; `supported` is listed in the order given. */
  notSupported(value: unknown, supported: readonly string[]): FieldError {
    const detail = supported.length === 0 ? "" : `supported values: ${supported.map((one) => goQuote(one)).join(", ")}`;
    return this.#fault("FieldValueNotSupported", printed(value), detail);
  }

  /** The value is well formed, but not permitted here. */
  forbidden(detail: string): FieldError {
    return this.#fault("FieldValueForbidden", "", detail);
  }

  /** Another item has the same identity. */
  duplicate(value: unknown): FieldError {
    return this.#fault("FieldValueDuplicate", printed(value), "");
  }

  /** The value refers to an object that does not exist. */
  notFound(value: unknown): FieldError {
    return this.#fault("FieldValueNotFound", printed(value), "");
  }

  /** The value has more than `maximum` bytes (or characters); it is not shown. */
  tooLong(maximum: number, unit = "byte"): FieldError {
    return this.#fault("FieldValueTooLong", "", `may not be more than ${count(maximum, unit)}`);
  }

  /** The value has fewer than `minimum` characters. */
  tooShort(minimum: number): FieldError {
    return this.#fault("FieldValueTooShort", "", `must be at least ${count(minimum, "character")}`);
  }

  /** A list with more than `maximum` items; `actual` is shown if it is given. */
  tooMany(actual: number | undefined, maximum: number): FieldError {
    return this.#fault("FieldValueTooMany", `${actual ?? ""}`, `must have at most ${count(maximum, "item")}`);
  }

  /** A list with fewer than `minimum` items; `actual` is shown if it is given. */
  tooFew(actual: number | undefined, minimum: number): FieldError {
    return this.#fault("FieldValueTooFew", `${actual ?? ""}`, `must have at least ${count(minimum, "item")}`);
  }

  /** The server failed; the sender is not at fault. */
  internal(detail: string): FieldError {
    return this.#fault("InternalError", "", detail);
  }

  #fault(reason: FieldErrorReason, value: string, detail: string): FieldError {
    const message = [fieldErrorTitles[reason], value, detail].filter((part) => part !== "").join(": ");
    return { reason, message, field: String(this) };
  }
}

/** The start of a path: `fieldPath("spec", "template")`. */
export function fieldPath(name: string, ...more: readonly string[]): FieldPath {
  const root = new FieldPath(name);
  return more.length === 0 ? root : root.child(more[0] as string, ...more.slice(1));
}
