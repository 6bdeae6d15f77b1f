/** `text.format(values)`: takes clauses such as `%s` and `%.2f` and values, gives text. Literal calls are also checked by it. */
import { goQuote as quote } from "../../../api/index.js";
import { typeName } from "./types.js";
import type { Meter } from "./meter.js";
import { typeOfValue } from "./equality.js";
import { doubleText } from "./numbers.js";
import { durationText, timestampText } from "./times.js";
import { CelList, CelMap, Duration, ErrorValue, Timestamp, TypeValue, Uint, type Value } from "./value.js";
import { byEntryName } from "../../../base/members.js";

export type Verb = "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";

interface Clause {
  readonly verb: Verb;
  readonly precision: number;
}

/** The parsed format string: a text, then a clause, then a text, and so on. */
export interface FormatTemplate {
  readonly texts: readonly string[];
  readonly clauses: readonly Clause[];
  /** The error of the first malformed clause, which follows `clauses`; undefined if all are well formed. */
  readonly wrong: string | undefined;
}

export function templateOf(format: string): FormatTemplate {
  const texts: string[] = [];
  const clauses: Clause[] = [];
  let text = "";
  let after = 0;
  for (const found of format.matchAll(/%(?:(%)|(\.(\d*))?([^]?))/g)) {
    const [whole, percent, dot, digits, verb = ""] = found;
    text += format.slice(after, found.index) + (percent ?? "");
    after = found.index + whole.length;
    if (percent !== undefined) continue;
    texts.push(text);
    text = "";
    const wrong = clauseFault({ dot, digits, verb });
    if (wrong !== undefined) return { texts, clauses, wrong };
    clauses.push({ verb: verb as Verb, precision: dot === undefined ? 6 : Number(digits) });
  }
  return { texts: [...texts, text + format.slice(after)], clauses, wrong: undefined };
}

interface Written {
  readonly dot: string | undefined;
  readonly digits: string | undefined;
  readonly verb: string;
}

function clauseFault({ dot, digits, verb }: Written): string | undefined {
  const unparsed = "could not parse formatting clause:";
  if (verb === "" && dot === undefined) return "unexpected end of string";
  if (verb === "") return `${unparsed} error while parsing precision: could not find end of precision specifier`;
  if (dot !== undefined && (digits === "" || Number(digits) > 1_000_000))
    return `${unparsed} error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ${quote(digits ?? "")}: invalid syntax`;
  return "sdfebxXo".includes(verb) ? undefined : `${unparsed} unrecognized formatting clause ${quote(verb)}`;
}

export function formatText(format: string, values: CelList, meter: Meter): Value {
  meter.read(format.length);
  const { texts, clauses, wrong } = templateOf(format);
  let result = texts[0] ?? "";
  for (const [i, clause] of clauses.entries()) {
    if (i >= values.size) return new ErrorValue(`index ${i} out of range`);
    const text = clauseText(clause, values.at(i), meter);
    if (text instanceof ErrorValue) return new ErrorValue(`error during formatting: ${text.message}`);
    meter.read(text.length);
    result += text + (texts[i + 1] ?? "");
  }
  if (wrong === undefined) return result;
  return new ErrorValue(clauses.length >= values.size ? `index ${clauses.length} out of range` : wrong);
}

/** For each clause, the types of values that it takes, and the message about values of other types. */
export const clauseTypes: Readonly<Record<Verb, { readonly takes: readonly string[]; readonly otherwise: string }>> = {
  s: {
    takes: ["string", "bool", "bytes", "int", "uint", "double", "map", "list", "type", "null", "duration", "timestamp"],
    otherwise:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given",
  },
  d: { takes: ["int", "uint"], otherwise: "decimal clause can only be used on integers, was given" },
  f: { takes: ["double", "string"], otherwise: "fixed-point clause can only be used on doubles, was given" },
  e: { takes: ["double", "string"], otherwise: "scientific clause can only be used on doubles, was given" },
  b: { takes: ["int", "uint", "bool"], otherwise: "only integers and bools can be formatted as binary, was given" },
  x: {
    takes: ["int", "uint", "string", "bytes"],
    otherwise: "only integers, byte buffers, and strings can be formatted as hex, was given",
  },
  X: {
    takes: ["int", "uint", "string", "bytes"],
    otherwise: "only integers, byte buffers, and strings can be formatted as hex, was given",
  },
  o: { takes: ["int", "uint"], otherwise: "octal clause can only be used on integers, was given" },
};

function clauseText({ verb, precision }: Clause, value: Value, meter: Meter): string | ErrorValue {
  const type = typeOfValue(value);
  const { takes, otherwise } = clauseTypes[verb];
  const unfit = new ErrorValue(`${otherwise} ${typeName(type)}`);
  if (value instanceof ErrorValue) return value;
  if (!takes.includes(type.kind)) return unfit;
  switch (verb) {
    case "s":
      return plainText(value, meter);
    case "d":
      return String(wholeOf(value));
    case "f":
    case "e": {
      const number = typeof value === "string" ? namedNumbers.get(value) : (value as number);
      meter.read(precision);
      return number === undefined
        ? unfit
        : verb === "f"
          ? fixedText(number, precision)
          : scientificText(number).padStart(precision);
    }
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : wholeOf(value).toString(2);
    case "o":
      return wholeOf(value).toString(8);
    default: {
      const text = hexText(value, meter);
      return verb === "X" ? text.toUpperCase() : text;
    }
  }
}

const wholeOf = (value: Value): bigint => (value instanceof Uint ? value.value : (value as bigint));

const namedNumbers: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

function hexText(value: Value, meter: Meter): string {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return wholeOf(value).toString(16);
  meter.read(value.length * 2);
  return Buffer.from(value as string).toString("hex");
}

const unending = (value: number): string | undefined =>
  Number.isNaN(value) ? "NaN" : Number.isFinite(value) ? undefined : value > 0 ? "∞" : "-∞";

/** A decimal with commas between thousands. */
function fixedText(value: number, precision: number): string {
  const named = unending(value);
  if (named !== undefined) return named;
  const [whole = "", fraction = ""] = fixedDigits(value, Math.min(precision, 99)).split(".");
  const digits = fraction.padEnd(precision, "0");
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ",") + (digits === "" ? "" : `.${digits}`);
}

/** `toFixed` turns to exponents for numbers from 1e21 on, all of which are whole. */
function fixedDigits(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21) return BigInt(value).toString();
  const text = value.toFixed(precision);
  // of two candidates that are equally near, Go takes the even one and JavaScript the larger one
  const isTie = Number.isInteger(value * 2 ** (precision + 1)) && value.toFixed(precision + 1).endsWith("5");
  if (!isTie || /[02468]$/.test(text)) return text;
  const step = 10 ** -precision;
  return (value > 0 ? Number(text) - step : Number(text) + step).toFixed(precision);
}

const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function scientificText(value: number): string {
  const named = unending(value);
  if (named !== undefined) return named;
  const [mantissa, exponent = "0"] = value.toExponential(6).split("e");
  const size = exponent.replace(/[+-]/, "").padStart(2, "0");
  const power = Array.from(size, (digit) => raised[Number(digit)]).join("");
  return `${mantissa}×10${exponent.startsWith("-") ? "⁻" : ""}${power}`;
}

/** The text that `%s` gives for a value by itself. */
function plainText(value: Value, meter: Meter, depth = 0): string | ErrorValue {
  meter.toil(1);
  if (depth > 100) return new ErrorValue("values are nested too deeply to be formatted");
  if (typeof value === "string") return value;
  if (value instanceof CelList) return listText(value, meter, depth);
  if (value instanceof CelMap) return mapText(value, meter, depth);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return typeName(value.type);
  if (typeof value === "number") return doubleText(value);
  return value instanceof Uint ? String(value.value) : String(value as null);
}

/** The text of a value within a list or a map. */
function innerText(value: Value, meter: Meter, depth: number): string | ErrorValue {
  const { kind, name } = typeOfValue(value);
  if (value instanceof ErrorValue) return value;
  if (!clauseTypes.s.takes.includes(kind)) return new ErrorValue(`no formatting function for ${name}`);
  if (typeof value === "number") return Number.isFinite(value) ? fixedDigits(value, 6) : quote(doubleText(value));
  const text = plainText(value, meter, depth + 1);
  if (text instanceof ErrorValue) return text;
  meter.read(text.length);
  if (kind === "timestamp" || kind === "duration") return `${kind}(${quote(text)})`;
  return kind === "string" ? quote(text) : kind === "bytes" ? `b${quote(text)}` : text;
}

function listText(list: CelList, meter: Meter, depth: number): string | ErrorValue {
  const parts: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const part = innerText(list.at(i), meter, depth);
    if (part instanceof ErrorValue) return part;
    parts.push(part);
  }
  return `[${parts.join(", ")}]`;
}

function mapText(map: CelMap, meter: Meter, depth: number): string | ErrorValue {
  const parts: (readonly [string, string])[] = [];
  for (const key of map.keys()) {
    const [name, value] = [innerText(key, meter, depth), innerText(map.get(key) as Value, meter, depth)];
    if (name instanceof ErrorValue) return name;
    if (value instanceof ErrorValue) return value;
    parts.push([name, value]);
  }
  parts.sort(byEntryName);
  return `{${parts.map(([name, value]) => `${name}:${value}`).join(", ")}}`;
}
