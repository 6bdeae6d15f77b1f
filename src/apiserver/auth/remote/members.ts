/**
 * Reads the members of a webhook's answer: absent and null are the zero value, as in Go; a value of another type refuses
 * the whole answer, so that half an answer decides nothing.
 */
import { isRecord } from "../../../base/members.js";

type Members = Readonly<Record<string, unknown>>;

function refused(name: string, type: string): Error {
  return new Error(`the answer's ${name} is not ${type}`);
}

export function flagIn(members: Members, name: string): boolean {
  const value = members[name] ?? false;
  if (typeof value !== "boolean") throw refused(name, "a boolean");
  return value;
}

export function textIn(members: Members, name: string): string {
  const value = members[name] ?? "";
  if (typeof value !== "string") throw refused(name, "a text");
  return value;
}

export function textsIn(members: Members, name: string): readonly string[] {
  const value = members[name] ?? [];
  if (!Array.isArray(value)) throw refused(name, "a list of texts");
  const texts: readonly unknown[] = value.map((item: unknown) => item ?? "");
  if (!texts.every((item) => typeof item === "string")) throw refused(name, "a list of texts");
  return texts;
}

export function membersIn(members: Members, name: string): Members {
  const value = members[name] ?? {};
  if (!isRecord(value)) throw refused(name, "an object");
  return value;
}
