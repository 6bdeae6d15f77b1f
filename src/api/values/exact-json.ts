/**
 * JSON whose integers keep all their digits, as Go's int64 does: an integer beyond 2^53 that fits into 64 bits is read as
 * a bigint, and a bigint is written as its digits. All other JSON is read and written as by JSON.parse and JSON.stringify.
 */
import { entriesByName, isRecord, setMember } from "../../base/members.js";

/** Sixteen digits where a number may begin, be it in a string; a text without them loses nothing in JSON.parse. */
const longNumber = /[[:,\s-]\d{16}/;
/** A string that does not end is one token too, or each of its quotes would be tried anew. */
const tokens = /"(?:[^"\\]|\\[^]?)*"?|-?\d[\d.eE+-]*/g;
const longInteger = /^-?[1-9]\d{15,18}$/;
/** The beginning of a string that may begin with a mark. */
const mayBeMarked = /"[#\\]/;
const mark = /^#\d+#/;

/** Throws the SyntaxError of JSON.parse. */
export function parseExactJson(text: string): unknown {
  return longNumber.test(text) ? withLongIntegers(text) : (JSON.parse(text) as unknown);
}

/** Reads each long integer as a string first. These strings begin with a mark that no other string of the text begins with. */
function withLongIntegers(text: string): unknown {
  const own = freeMark(text);
  let found = false;
  const marked = text.replace(tokens, (token, at: number) => {
    if (token.length < 16 || !isBeyondDouble(token) || isKey(text, at + token.length)) return token;
    found = true;
    return `"${own}${token}"`;
  });
  if (!found) return JSON.parse(text) as unknown;
  let value: unknown;
  try {
    value = JSON.parse(marked);
  } catch {
    // fails likewise, and names the place in the text itself
    return JSON.parse(text) as unknown;
  }
  return unmarked(value, own);
}

function freeMark(text: string): string {
  if (!mayBeMarked.test(text)) return "#0#";
  const taken = new Set<string>();
  for (const [token] of text.matchAll(tokens)) {
    if (mayBeMarked.test(token)) taken.add(mark.exec(stringOf(token))?.[0] ?? "");
  }
  let free = 0;
  while (taken.has(`#${free}#`)) free++;
  return `#${free}#`;
}

/** The string that a token stands for; empty for a token with escapes that JSON lacks: the whole text is no JSON then. */
function stringOf(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return "";
  }
}

/** Whether a colon follows: the text is no JSON then, and must not become JSON by a mark. */
function isKey(text: string, end: number): boolean {
  const colon = /\s*:/y;
  colon.lastIndex = end;
  return colon.test(text);
}

/** Turns the marked strings into integers, in place: the value is of this parse alone. */
function unmarked(value: unknown, own: string): unknown {
  if (typeof value === "string") return value.startsWith(own) ? BigInt(value.slice(own.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const inner = members[name];
    if (typeof inner === "string" || typeof inner === "object") {
      const restored = unmarked(inner, own);
      if (restored !== inner) setMember(members, name, restored);
    }
  }
  return value;
}

/** Whether the token is an integer of 64 bits that a double may not hold. */
function isBeyondDouble(token: string): boolean {
  if (!longInteger.test(token) || Number.isSafeInteger(Number(token))) return false;
  const value = BigInt(token);
  return value === BigInt.asIntN(64, value);
}

/** As JSON.stringify of a value that JSON has, or that is a bigint. */
export function exactJson(value: unknown, indent = ""): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // JSON.stringify refuses bigints, which are too rare to look for in each object
    if (!(error instanceof TypeError)) throw error;
    return written(value, indent, "");
  }
}

function written(value: unknown, indent: string, line: string): string {
  if (typeof value === "bigint") return String(value);
  const inner = line + indent;
  if (Array.isArray(value)) {
    const items = value.map((item) => written(item, indent, inner));
    return enclosed("[]", items, { indent, line });
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const colon = indent === "" ? ":" : ": ";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}${colon}${written(member, indent, inner)}`);
  return enclosed("{}", members, { indent, line });
}

function enclosed(
  brackets: "[]" | "{}",
  parts: readonly string[],
  { indent, line }: { readonly indent: string; readonly line: string },
): string {
  const [open = "", close = ""] = brackets;
  if (indent === "" || parts.length === 0) return `${open}${parts.join(",")}${close}`;
  return `${open}\n${line}${indent}${parts.join(`,\n${line}${indent}`)}\n${line}${close}`;
}

/** Whether a JSON value is a number, of whatever size. */
export function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** A whole number as exact JSON holds it: a bigint only where a number would lose digits. */
export function exactInteger(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) || value !== BigInt.asIntN(64, value) ? near : value;
}

/** Exact JSON with the members of each object in the order of their names, as Go prints maps. */
export function sortedJson(value: unknown): string {
  return exactJson(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const members = entriesByName(value);
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
