/** The type conversions `int(x)`, `string(x)` and so on, and `type` and `dyn`. */
import { type Library, overload } from "../checker/environment.js";
import { typeOfValue } from "../values/equality.js";
import { doubleText, intOfDouble, intOrFailure, uintOfDouble, uintOrFailure } from "../values/numbers.js";
import {
  durationOf,
  durationText,
  parseDurationText,
  parseTimestamp,
  timestampAt,
  timestampText,
} from "../values/times.js";
import { type Duration, ErrorValue, type Timestamp, TypeValue, Uint, type Value } from "../values/value.js";

/** The error of a text that is no value of the type. */
const failed = (target: string): ErrorValue => {
  const types = `'string' to '${target}'`;
  return new ErrorValue(`type conversion error from ${types}`);
};

const truths: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

function intOfText(text: string): Value {
  if (!/^[+-]?\d{1,40}$/.test(text)) return failed("int");
  const value = intOrFailure(BigInt(text.replace(/^\+/, "")));
  return value instanceof ErrorValue ? failed("int") : value;
}

function uintOfText(text: string): Value {
  if (!/^\d{1,40}$/.test(text)) return failed("uint");
  const value = uintOrFailure(BigInt(text));
  return value instanceof ErrorValue ? failed("uint") : value;
}

const infinities: ReadonlyMap<string, number> = new Map(
  ["inf", "+inf", "infinity", "+infinity"].map((text) => [text, Number.POSITIVE_INFINITY] as const),
);

function doubleOfText(text: string): Value {
  const lower = text.toLowerCase();
  if (lower === "nan") return Number.NaN;
  const infinite =
    infinities.get(lower) ?? (infinities.has(lower.replace(/^-/, "")) ? Number.NEGATIVE_INFINITY : undefined);
  if (infinite !== undefined) return infinite;
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return failed("double");
  const value = Number(text);
  return Number.isFinite(value) ? value : failed("double");
}

function textOfBytes(bytes: Uint8Array): Value {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new ErrorValue("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const same = ([value]: readonly Value[]): Value => value as Value;
const second = 1_000_000_000n;

export const conversionLibrary: Library = {
  bool: [
    overload("bool_to_bool", "(bool) -> bool", same),
    overload("string_to_bool", "(string) -> bool", ([text]: [string]) => truths.get(text) ?? failed("bool")),
  ],
  bytes: [
    overload("bytes_to_bytes", "(bytes) -> bytes", same),
    overload("string_to_bytes", "(string) -> bytes", ([text]: [string], meter) => {
      meter.read(text.length);
      return new Uint8Array(Buffer.from(text));
    }),
  ],
  double: [
    overload("double_to_double", "(double) -> double", same),
    overload("int64_to_double", "(int) -> double", ([value]: [bigint]) => Number(value)),
    overload("string_to_double", "(string) -> double", ([text]: [string], meter) => {
      meter.read(text.length);
      return doubleOfText(text);
    }),
    overload("uint64_to_double", "(uint) -> double", ([{ value }]: [Uint]) => Number(value)),
  ],
  duration: [
    overload("duration_to_duration", "(duration) -> duration", same),
    overload("int64_to_duration", "(int) -> duration", ([value]: [bigint]) => durationOf(value)),
    overload("string_to_duration", "(string) -> duration", ([text]: [string], meter) => {
      meter.read(text.length);
      return parseDurationText(text) ?? failed("google.protobuf.Duration");
    }),
  ],
  dyn: [overload("to_dyn", "(A) -> dyn", same)],
  int: [
    overload("int64_to_int64", "(int) -> int", same),
    overload("double_to_int64", "(double) -> int", ([value]: [number]) => intOfDouble(value)),
    overload("duration_to_int64", "(duration) -> int", ([{ nanoseconds }]: [Duration]) => nanoseconds),
    overload("string_to_int64", "(string) -> int", ([text]: [string]) => intOfText(text)),
    overload("timestamp_to_int64", "(timestamp) -> int", ([{ nanoseconds }]: [Timestamp]) => secondsOf(nanoseconds)),
    overload("uint64_to_int64", "(uint) -> int", ([{ value }]: [Uint]) => intOrFailure(value)),
  ],
  string: [
    overload("string_to_string", "(string) -> string", same),
    overload("bool_to_string", "(bool) -> string", ([value]: [boolean]) => String(value)),
    overload("bytes_to_string", "(bytes) -> string", ([value]: [Uint8Array], meter) => {
      meter.read(value.length);
      return textOfBytes(value);
    }),
    overload("double_to_string", "(double) -> string", ([value]: [number]) => doubleText(value)),
    overload("duration_to_string", "(duration) -> string", ([value]: [Duration]) => durationText(value)),
    overload("int64_to_string", "(int) -> string", ([value]: [bigint]) => String(value)),
    overload("timestamp_to_string", "(timestamp) -> string", ([value]: [Timestamp]) => timestampText(value)),
    overload("uint64_to_string", "(uint) -> string", ([{ value }]: [Uint]) => String(value)),
  ],
  timestamp: [
    overload("timestamp_to_timestamp", "(timestamp) -> timestamp", same),
    overload("int64_to_timestamp", "(int) -> timestamp", ([value]: [bigint]) => timestampAt(value * second)),
    overload(
      "string_to_timestamp",
      "(string) -> timestamp",
      ([text]: [string]) => parseTimestamp(text) ?? failed("google.protobuf.Timestamp"),
    ),
  ],
  type: [overload("type", "(A) -> type(A)", ([value]) => new TypeValue(typeOfValue(value as Value)))],
  uint: [
    overload("uint64_to_uint64", "(uint) -> uint", same),
    overload("double_to_uint64", "(double) -> uint", ([value]: [number]) => uintOfDouble(value)),
    overload("int64_to_uint64", "(int) -> uint", ([value]: [bigint]) => uintOrFailure(value)),
    overload("string_to_uint64", "(string) -> uint", ([text]: [string]) => uintOfText(text)),
  ],
};

/** Whole seconds, rounded down. */
function secondsOf(nanoseconds: bigint): bigint {
  const rest = nanoseconds % second;
  return (nanoseconds - rest) / second - (rest < 0n ? 1n : 0n);
}
