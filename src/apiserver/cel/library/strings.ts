/** Functions on text: CEL's own, its string library, and the searches that Kubernetes adds. */
import { type Library, overload, type Overload } from "../checker/environment.js";
import type { Meter } from "../values/meter.js";
import { type Pattern, PatternError, type Patterns } from "../../text/pattern/pattern.js";
import { ArrayList, CelList, ErrorValue, type Value } from "../values/value.js";
import { formatText } from "../values/format-text.js";

/** The text as a list of code points, so that indices count characters. */
function characters(text: string, meter: Meter): readonly string[] {
  meter.toil(1 + text.length / 4);
  return Array.from(text);
}

const outOfRange = (index: bigint): ErrorValue => new ErrorValue(`index out of range: ${index}`);

function charAt([text, index]: [string, bigint], meter: Meter): Value {
  const all = characters(text, meter);
  return index < 0n || index > BigInt(all.length) ? outOfRange(index) : (all[Number(index)] ?? "");
}

/** The index of `part` at or after `from`; -1 if there is none. */
function indexOf([text, part, from = 0n]: [string, string, bigint?], meter: Meter): Value {
  if (part === "") return from;
  if (from < 0n) return outOfRange(from);
  meter.read(text.length);
  if (from >= BigInt(text.length)) return -1n;
  const start = unitsOf(text, Number(from));
  const found = text.indexOf(part, start);
  return found < 0 ? -1n : from + BigInt(Array.from(text.slice(start, found)).length);
}

/** The number of UTF-16 units of the first `count` characters. */
function unitsOf(text: string, count: number): number {
  let at = 0;
  for (let i = 0; i < count && at < text.length; i++) at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  return at;
}

function lastIndexOf([text, part, from]: [string, string, bigint?], meter: Meter): Value {
  const length = BigInt(characters(text, meter).length);
  if (part === "") return from ?? length;
  if (from !== undefined && from < 0n) return outOfRange(from);
  if (from !== undefined && from >= length) return -1n;
  meter.read(text.length);
  const found = text.lastIndexOf(part, from === undefined ? undefined : unitsOf(text, Number(from)));
  return found < 0 ? -1n : BigInt(Array.from(text.slice(0, found)).length);
}

/** Replaces up to `times` occurrences. An empty `from` occurs before, between and after all characters. */
function replace([text, from, to, times = -1n]: [string, string, string, bigint?], meter: Meter): Value {
  meter.read(text.length);
  if (times === 0n || from === to) return text;
  const most = times < 0n ? Number.POSITIVE_INFINITY : Number(times);
  const parts = from === "" ? ["", ...characters(text, meter), ""] : text.split(from);
  const count = Math.min(parts.length - 1, most);
  meter.toil(parts.length);
  meter.read(text.length + count * to.length);
  const rest = parts.slice(count + 1).join(from);
  const head = parts.slice(0, count + 1).join(to);
  return count === parts.length - 1 ? head : head + from + rest;
}

function split([text, separator, times = -1n]: [string, string, bigint?], meter: Meter): Value {
  meter.read(text.length);
  if (times === 0n) return new ArrayList([]);
  const parts = separator === "" ? characters(text, meter) : text.split(separator);
  meter.toil(parts.length);
  if (times < 0n || BigInt(parts.length) <= times) return new ArrayList(parts);
  const kept = Number(times) - 1;
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function substring([text, start, end]: [string, bigint, bigint?], meter: Meter): Value {
  const all = characters(text, meter);
  const length = BigInt(all.length);
  if (end !== undefined && start > end) return new ErrorValue(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) return outOfRange(start);
  if (end !== undefined && end > length) return outOfRange(end);
  return all.slice(Number(start), end === undefined ? undefined : Number(end)).join("");
}

function join([list, separator = ""]: [CelList, string?], meter: Meter): Value {
  const parts: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const part = list.at(i);
    if (typeof part !== "string")
      return part instanceof ErrorValue ? part : new ErrorValue("no such overload: join(list)");
    meter.read(part.length + separator.length);
    parts.push(part);
  }
  return parts.join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote([text]: [string], meter: Meter): Value {
  meter.read(text.length * 2);
  // eslint-disable-next-line no-control-regex
  return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => escapes[character] as string)}"`;
}

/** White space as Go defines it. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Without the white space at both ends; an expression for the end would be tried anew at each space inside. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && space.test(text[from] as string)) from++;
  while (from < to && space.test(text[to - 1] as string)) to--;
  return text.slice(from, to);
}

const pass = (meter: Meter, text: string): string => {
  meter.read(text.length);
  return text;
};

/** Following one path through a pattern is less work than a step of an expression. */
const spending =
  (meter: Meter) =>
  (ways: number): void =>
    meter.toil(ways / 2);

/** The compiled pattern; an ErrorValue if `source` is not a pattern. */
function patternOf(source: string, meter: Meter, patterns: Patterns): Pattern | ErrorValue {
  try {
    return patterns.of(source, spending(meter));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return new ErrorValue(error.message);
  }
}

function matches([text, source]: [string, string], meter: Meter, patterns: Patterns): Value {
  meter.read(text.length + source.length);
  const pattern = patternOf(source, meter, patterns);
  return pattern instanceof ErrorValue ? pattern : pattern.test(text, spending(meter));
}

function find([text, source]: [string, string], meter: Meter, patterns: Patterns): Value {
  const pattern = patternOf(source, meter, patterns);
  if (pattern instanceof ErrorValue) return pattern;
  const [first = ""] = pattern.matches(text, spending(meter));
  return first;
}

function findAll([text, source, most = -1n]: [string, string, bigint?], meter: Meter, patterns: Patterns): Value {
  const pattern = patternOf(source, meter, patterns);
  if (pattern instanceof ErrorValue) return pattern;
  const found: string[] = [];
  if (most === 0n) return new ArrayList(found);
  for (const one of pattern.matches(text, spending(meter))) {
    meter.read(one.length);
    if (BigInt(found.push(one)) === most) break;
  }
  return new ArrayList(found);
}

type Texts = [string, string];
/** Two overloads of one name, without and with the last parameter. */
const both = (
  ids: readonly [string, string],
  signatures: readonly [string, string],
  run: (args: never, meter: Meter, patterns: Patterns) => Value,
): readonly Overload[] => ids.map((id, i) => overload(id, signatures[i] as string, run as unknown as Overload["run"]));

export const stringLibrary: Library = {
  contains: [
    overload("contains_string", "string.(string) -> bool", ([text, part]: Texts, meter) =>
      pass(meter, text).includes(part),
    ),
  ],
  endsWith: [
    overload("ends_with_string", "string.(string) -> bool", ([text, end]: Texts, meter) =>
      text.endsWith(pass(meter, end)),
    ),
  ],
  startsWith: [
    overload("starts_with_string", "string.(string) -> bool", ([text, start]: Texts, meter) =>
      text.startsWith(pass(meter, start)),
    ),
  ],
  matches: [
    overload("matches", "(string, string) -> bool", matches),
    overload("matches_string", "string.(string) -> bool", matches),
  ],
  charAt: [overload("string_char_at_int", "string.(int) -> string", charAt)],
  indexOf: both(
    ["string_index_of_string", "string_index_of_string_int"],
    ["string.(string) -> int", "string.(string, int) -> int"],
    indexOf,
  ),
  lastIndexOf: both(
    ["string_last_index_of_string", "string_last_index_of_string_int"],
    ["string.(string) -> int", "string.(string, int) -> int"],
    lastIndexOf,
  ),
  lowerAscii: [
    overload("string_lower_ascii", "string.() -> string", ([text]: [string], meter) =>
      pass(meter, text).replace(/[A-Z]+/g, (part) => part.toLowerCase()),
    ),
  ],
  upperAscii: [
    overload("string_upper_ascii", "string.() -> string", ([text]: [string], meter) =>
      pass(meter, text).replace(/[a-z]+/g, (part) => part.toUpperCase()),
    ),
  ],
  replace: both(
    ["string_replace_string_string", "string_replace_string_string_int"],
    ["string.(string, string) -> string", "string.(string, string, int) -> string"],
    replace,
  ),
  split: both(
    ["string_split_string", "string_split_string_int"],
    ["string.(string) -> list(string)", "string.(string, int) -> list(string)"],
    split,
  ),
  substring: both(
    ["string_substring_int", "string_substring_int_int"],
    ["string.(int) -> string", "string.(int, int) -> string"],
    substring,
  ),
  trim: [overload("string_trim", "string.() -> string", ([text]: [string], meter) => trimmed(pass(meter, text)))],
  join: both(["list_join", "list_join_string"], ["list(string).() -> string", "list(string).(string) -> string"], join),
  "strings.quote": [overload("strings_quote", "(string) -> string", quote)],
  format: [
    overload("string_format", "string.(list(dyn)) -> string", ([text, values]: [string, CelList], meter) =>
      formatText(text, values, meter),
    ),
  ],
  find: [overload("string_find_string", "string.(string) -> string", find)],
  findAll: both(
    ["string_find_all_string", "string_find_all_string_int"],
    ["string.(string) -> list(string)", "string.(string, int) -> list(string)"],
    findAll,
  ),
};
