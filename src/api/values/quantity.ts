/**
 * Quantities: `100m`, `1.5Gi`, `2e3`. Exact numbers that remember the family of suffixes in which they were written.
 */
import { lookup } from "../../base/members.js";
import { ParseError } from "../parse-error.js";
import * as decimals from "./decimal.js";
import type { Decimal } from "./decimal.js";

/** The family of suffixes used in printing: `k M G`, `Ki Mi Gi`, or `e3 e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

const decimalSuffixes: Readonly<Record<string, number>> = lookup({
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
});
const binarySuffixes: Readonly<Record<string, number>> = lookup({ Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 });
const decimalBySize = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]));
const binaryNames = ["", ...Object.keys(binarySuffixes)];

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";
const wrongNumber = "unable to parse numeric part of quantity";

const largest = decimals.decimal(2n ** 63n - 1n, 0);
const finest = -9;

/**
 * Immutable. Arithmetic is exact and keeps the format of the left operand, or of the right one if the left is zero.
 * Printing gives the canonical form: no fraction, the largest suffix that needs none, no information lost.
 */
export class Quantity {
  readonly format: QuantityFormat;
  readonly #amount: Decimal;
  #text: string | undefined;

  private constructor(amount: Decimal, format: QuantityFormat, text?: string) {
    this.#amount = amount;
    this.format = format;
    this.#text = text;
  }

  /** Throws ParseError. A number is read in its JSON form. */
  static parse(input: string | number): Quantity {
    const { amount, format, text } = parse(String(input));
    return new Quantity(amount, format, text);
  }

  /** `value × 10^exponent`. */
  static of(
    value: number | bigint,
    options: { readonly exponent?: number; readonly format?: QuantityFormat } = {},
  ): Quantity {
    if (typeof value === "number" && !Number.isInteger(value)) {
      throw new RangeError(`a quantity is made of an integer and an exponent, not of ${value}`);
    }
    return new Quantity(decimals.decimal(value, options.exponent ?? 0), options.format ?? "DecimalSI");
  }

  static readonly zero: Quantity = new Quantity(decimals.zeroDecimal, "DecimalSI");

  get isZero(): boolean {
    return this.#amount.mantissa === 0;
  }

  get sign(): -1 | 0 | 1 {
    return decimals.signOf(this.#amount);
  }

  /** Negative, 0 or positive, as for `sort`. Formats do not matter. */
  compare(other: Quantity): -1 | 0 | 1 {
    return decimals.compareDecimals(this.#amount, other.#amount);
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  add(other: Quantity): Quantity {
    return new Quantity(decimals.add(this.#amount, other.#amount), this.isZero ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  neg(): Quantity {
    return new Quantity(decimals.negate(this.#amount), this.format);
  }

  multiply(factor: number | bigint): Quantity {
    return new Quantity(decimals.multiply(this.#amount, factor), this.format);
  }

  /** The quantity rounded away from zero to a multiple of 10^exponent. */
  roundUp(exponent: number): Quantity {
    if (this.#amount.exponent >= exponent) return this;
    return new Quantity(decimals.roundedUp(this.#amount, exponent), this.format);
  }

  /** The number of whole units, rounded away from zero. */
  value(): bigint {
    return decimals.scaled(this.#amount, 0);
  }

  /** The number of thousandths, rounded away from zero. */
  milliValue(): bigint {
    return decimals.scaled(this.#amount, -3);
  }

  /** The number of units of 10^exponent, rounded away from zero. */
  scaledValue(exponent: number): bigint {
    return decimals.scaled(this.#amount, exponent);
  }

  /** The nearest double: for ratios and graphs, not for sums. */
  asApproximateFloat(): number {
    const { mantissa, exponent } = this.#amount;
    if (exponent === 0) return Number(mantissa);
    return Number(`${mantissa}e${exponent}`);
  }

  toString(): string {
    this.#text ??= print(this.#amount, this.format);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** Short for `Quantity.parse`. */
export const parseQuantity = (input: string | number): Quantity => Quantity.parse(input);

/** No two neighbouring parts can take the same character: a long text is read once, whatever it is. */
const shape = /^([+-]?)(0*)((?:[1-9][0-9]*)?)((?:\.[0-9]*)?)((?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?)$/;

interface Parsed {
  readonly amount: Decimal;
  readonly format: QuantityFormat;
  /** The canonical text, if it is known already. */
  readonly text: string | undefined;
}

/**
 * Parses the usual quantities (`2`, `100m`, `512Mi`): up to nine digits and a suffix. Undefined for all others, which
 * `parse` reads.
 */
function parsePlain(input: string): Parsed | undefined {
  let value = 0;
  let at = 0;
  for (; at < input.length && at < 9; at++) {
    const digit = input.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (at === 0 || value === 0 || input.charCodeAt(0) === 48) return undefined;
  const unit = plainUnits.get(at === input.length ? "" : input.slice(at));
  if (unit === undefined) return undefined;
  const { exponent, binary } = unit;
  if (binary === 1) {
    return { amount: { mantissa: value, exponent }, format: "DecimalSI", text: value % 1000 === 0 ? undefined : input };
  }
  const mantissa = value * binary;
  if (mantissa > Number.MAX_SAFE_INTEGER / 64) return undefined;
  return { amount: { mantissa, exponent: 0 }, format: "BinarySI", text: value % 8 === 0 ? undefined : input };
}

interface PlainUnit {
  readonly exponent: number;
  /** The multiplier of a binary suffix; 1 for a decimal suffix. */
  readonly binary: number;
}

const plainUnits: ReadonlyMap<string, PlainUnit> = new Map<string, PlainUnit>([
  ...Object.entries(decimalSuffixes).map(([suffix, exponent]) => [suffix, { exponent, binary: 1 }] as const),
  ...Object.entries(binarySuffixes).map(([suffix, power]) => [suffix, { exponent: 0, binary: 2 ** power }] as const),
]);

function parse(input: string): Parsed {
  return parsePlain(input) ?? parseAny(input);
}

function parseAny(input: string): Parsed {
  const match = input === "" ? null : shape.exec(input);
  if (match === null) throw new ParseError(wrongFormat, { input, position: whereShapeEnds(input) });
  const [, sign, zeros, whole, point, suffix] = match as unknown as [string, string, string, string, string, string];
  const fraction = point.slice(1);
  const unit = interpret(suffix, input);
  const digits = (whole === "" ? "0" : whole) + fraction;
  if (digits.length > longestNumber) throw new ParseError(wrongNumber, { input, position: longestNumber });
  const { exact, text } = asWritten({ input, digits, fraction, ...unit });
  if (!exact && zeros + whole + fraction === "") {
    throw new ParseError(wrongNumber, { input, position: sign.length });
  }
  const written = decimals.decimal(
    digits.length <= 15 ? Number(digits) : BigInt(digits),
    unit.exponent - fraction.length,
  );
  const amount = exact ? inUnit(written, unit.binary) : limited(inUnit(written, unit.binary), unit.binary > 0);
  const small = !exact && unit.binary > 0 && amount.mantissa !== 0 && decimals.compareDecimals(amount, one) < 0;
  return {
    amount: sign === "-" ? decimals.negate(amount) : amount,
    format: small ? "DecimalSI" : unit.format,
    text,
  };
}

function inUnit(amount: Decimal, binary: number): Decimal {
  return binary === 0 ? amount : decimals.decimal(binaryProduct(amount.mantissa, binary), amount.exponent);
}

/**
 * Rounded up to billionths, so that a request for something never becomes a request for nothing; binary numbers end at
 * 64 bits.
 */
function limited(amount: Decimal, binary: boolean): Decimal {
  const rounded = decimals.roundedUp(amount, finest);
  return binary && decimals.compareDecimals(rounded, largest) > 0 ? largest : rounded;
}

const one = decimals.decimal(1, 0);

// more digits are an attack, not a number
const longestNumber = 10_000;

function binaryProduct(mantissa: number | bigint, power: number): number | bigint {
  const product = typeof mantissa === "number" ? mantissa * 2 ** power : Number.NaN;
  return Number.isSafeInteger(product) ? product : BigInt(mantissa) << BigInt(power);
}

/**
 * Two behaviours of upstream's parser. `exact`: the number fits 64 bits as written, so no rounding or capping applies.
 * `text`: a number that looks canonical is printed as it was written, even if it is not quite (`+1`, `1.500`).
 */
function asWritten(parts: {
  readonly input: string;
  readonly digits: string;
  readonly fraction: string;
  readonly exponent: number;
  readonly binary: number;
}): { readonly exact: boolean; readonly text: string | undefined } {
  const { input, digits, fraction, exponent, binary } = parts;
  if (input === "0") return { exact: true, text: input };
  if (binary > 0) {
    const exact = fraction === "" && 14 - digits.length - Math.floor(binary * 0.3) >= 0;
    return exact && Number(digits.slice(-3)) % 8 !== 0 ? { exact, text: input } : { exact, text: undefined };
  }
  const scale = exponent - fraction.length;
  const exact = digits.length <= 18 && scale >= finest;
  const canonical = exact && scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return canonical ? { exact, text: input } : { exact, text: undefined };
}

function interpret(
  suffix: string,
  input: string,
): { readonly exponent: number; readonly binary: number; readonly format: QuantityFormat } {
  if (Object.hasOwn(decimalSuffixes, suffix)) {
    return { exponent: decimalSuffixes[suffix] as number, binary: 0, format: "DecimalSI" };
  }
  if (Object.hasOwn(binarySuffixes, suffix)) {
    return { exponent: 0, binary: binarySuffixes[suffix] as number, format: "BinarySI" };
  }
  const power = /^[eE]([+-]?[0-9]{1,18})$/.exec(suffix);
  if (power === null) throw new ParseError(wrongSuffix, { input, position: input.length - suffix.length });
  return { exponent: Number(power[1]) | 0, binary: 0, format: "DecimalExponent" };
}

function whereShapeEnds(input: string): number {
  return /^[+-]?[0-9]*(?:\.[0-9]*)?[eEinumkKMGTP]*[-+]?[0-9]*/.exec(input)?.[0].length ?? 0;
}

function print(amount: Decimal, format: QuantityFormat): string {
  if (amount.mantissa === 0) return "0";
  const binary = format === "BinarySI" ? printBinary(amount) : undefined;
  if (binary !== undefined) return binary;
  const { mantissa, exponent } = decimals.stripped(amount);
  const extra = ((exponent % 3) + 3) % 3;
  const digits = `${mantissa}${"0".repeat(extra)}`;
  const size = exponent - extra;
  if (format === "DecimalExponent") return size === 0 ? digits : `${digits}e${size}`;
  // beyond E, upstream prints no suffix at all, which is another number; zeros keep the value
  return size > 18 ? `${digits}${"0".repeat(size - 18)}E` : `${digits}${decimalBySize.get(size) ?? ""}`;
}

/** Undefined if the number is small or has a fraction: such numbers are printed as decimals. */
function printBinary(amount: Decimal): string | undefined {
  const { exponent } = decimals.stripped(amount);
  if (exponent < 0) return undefined;
  let value = decimals.scaled(amount, 0);
  if (value > -1024n && value < 1024n) return undefined;
  let power = 0;
  while (value % 1024n === 0n && power + 1 < binaryNames.length) {
    value /= 1024n;
    power++;
  }
  return `${value}${binaryNames[power]}`;
}
