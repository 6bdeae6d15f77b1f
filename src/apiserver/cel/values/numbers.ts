/** Arithmetic within 64 bits, and numbers as Go prints them. */
import { ErrorValue, Uint } from "./value.js";

const intLimit = 2n ** 63n;
const uintLimit = 2n ** 64n;

export function intOrFailure(value: bigint): bigint | ErrorValue {
  return value >= -intLimit && value < intLimit ? value : new ErrorValue("integer overflow");
}

export function uintOrFailure(value: bigint): Uint | ErrorValue {
  return value >= 0n && value < uintLimit ? new Uint(value) : new ErrorValue("unsigned integer overflow");
}

/** Rounds towards zero. */
export function intOfDouble(value: number): bigint | ErrorValue {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : new ErrorValue("integer overflow");
}

export function uintOfDouble(value: number): Uint | ErrorValue {
  return value > -1 && value < 2 ** 64
    ? new Uint(BigInt(Math.trunc(value)))
    : new ErrorValue("unsigned integer overflow");
}

/** The shortest text that is read as the same number: Go's `%g`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 6) return `${mantissa}e${goExponent(exponent)}`;
  return plainText(value);
}

/** At least two digits, always with a sign. */
const goExponent = (exponent: number): string =>
  `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

/** Digits without an exponent, however large or small the number. */
function plainText(value: number): string {
  const [mantissa = "", exponentText = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const point = Number(exponentText) + 1;
  const sign = value < 0 ? "-" : "";
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
