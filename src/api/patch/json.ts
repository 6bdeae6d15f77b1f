/** JSON as readonly data: the few operations that all patches are built from. */
import { isRecord, setMember } from "../../base/members.js";

export { setMember };

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

export function jsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : (typeof value as JsonType);
}

/** Own properties only: a member named `toString` or `__proto__` is a member like any other. */
export function hasMember(object: object, key: string): boolean {
  return Object.hasOwn(object, key);
}

export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * An object under change. Reads see the changes; the original is never touched, and is itself the result if nothing
 * changed, so that callers can compare by identity.
 */
export class ObjectEdit {
  readonly #original: JsonObject;
  #copy: Record<string, Json> | undefined;

  constructor(original: JsonObject) {
    this.#original = original;
  }

  get result(): JsonObject {
    return this.#copy ?? this.#original;
  }

  has(key: string): boolean {
    return hasMember(this.result, key);
  }

  get(key: string): Json | undefined {
    return member(this.result, key);
  }

  set(key: string, value: Json): void {
    if (this.has(key) && this.get(key) === value) return;
    setMember(this.#writable(), key, value);
  }

  delete(key: string): void {
    if (this.has(key)) delete this.#writable()[key];
  }

  #writable(): Record<string, Json> {
    this.#copy ??= { ...this.#original };
    return this.#copy;
  }
}

/** Prints a value as Go's `%v` does, because some messages on the wire contain Go's form. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (isJsonArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.keys(value).toSorted();
  return `map[${members.map((key) => `${key}:${goText(member(value, key))}`).join(" ")}]`;
}

/** The name of a value's type as Go prints it in such messages. */
export function goTypeName(value: unknown): string {
  switch (jsonType(value)) {
    case "null":
      return "%!s(<nil>)";
    case "boolean":
      return "bool";
    case "number":
      return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
    case "string":
      return "string";
    case "array":
      return "[]interface {}";
    default:
      return "map[string]interface {}";
  }
}
