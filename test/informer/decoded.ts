/** The contract of the lazy decoder, written naively with JSON.parse. */
import { hasNoNulls } from "../../src/api/meta/nulls.js";

/** Without managedFields, without null members in metadata, and in all of a built-in kind. */
export function decodedNaively(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { metadata } = value as { metadata?: unknown };
  if (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)) {
    delete (metadata as { managedFields?: unknown }).managedFields;
    dropNulls(metadata);
  }
  if (hasNoNulls(value)) dropNulls(value);
  return value;
}

function dropNulls(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (member === null && !Array.isArray(value)) delete (value as Record<string, unknown>)[key];
    else dropNulls(member);
  }
}
