/** Exact decimals `mantissa × 10^exponent`: the arithmetic under quantities. Mantissas stay numbers while they are small. */

/**
 * Invariants:
 * 1. A `number` mantissa is a safe integer.
 * 2. A zero has exponent 0.
 * The exponent is expanded into digits only where two decimals must be brought to the same one.
 */
export interface Decimal {
  readonly mantissa: number | bigint;
  readonly exponent: number;
}

export const zeroDecimal: Decimal = { mantissa: 0, exponent: 0 };

export function decimal(mantissa: number | bigint, exponent: number): Decimal {
  if (mantissa === 0 || mantissa === 0n) return zeroDecimal;
  if (typeof mantissa === "number") {
    return { mantissa: Number.isSafeInteger(mantissa) ? mantissa : BigInt(mantissa), exponent };
  }
  return { mantissa: isSafe(mantissa) ? Number(mantissa) : mantissa, exponent };
}

const safest = BigInt(Number.MAX_SAFE_INTEGER);
const isSafe = (value: bigint): boolean => value <= safest && value >= -safest;

// a small mantissa times at most 10^15 is likely to stay a safe integer; `at` checks, and goes on with bigint if not
const smallPowers: readonly number[] = Array.from({ length: 16 }, (_, n) => 10 ** n);

/** No number is written out with more zeros than this: it would be megabytes of digits. */
const widest = 100_000;

/** `mantissa` at the smaller exponent `to`; a number that is too large to be written out is 10^widest times its mantissa. */
function at({ mantissa, exponent }: Decimal, to: number): number | bigint {
  const shift = exponent - to;
  if (shift === 0 || mantissa === 0) return mantissa;
  if (typeof mantissa === "number" && shift < smallPowers.length) {
    const product = mantissa * (smallPowers[shift] as number);
    if (Number.isSafeInteger(product)) return product;
  }
  return BigInt(mantissa) * 10n ** BigInt(Math.min(shift, widest));
}

/** Exact, unless the exponents are so far apart that the smaller number is nothing beside the larger. */
export function add(a: Decimal, b: Decimal): Decimal {
  if (a.mantissa === 0) return b;
  if (b.mantissa === 0) return a;
  if (Math.abs(a.exponent - b.exponent) > widest) return a.exponent > b.exponent ? a : b;
  const exponent = Math.min(a.exponent, b.exponent);
  const x = at(a, exponent);
  const y = at(b, exponent);
  if (typeof x === "number" && typeof y === "number") {
    const sum = x + y;
    if (Number.isSafeInteger(sum)) return decimal(sum, exponent);
  }
  return decimal(BigInt(x) + BigInt(y), exponent);
}

export const negate = ({ mantissa, exponent }: Decimal): Decimal => decimal(-mantissa, exponent);

export function multiply({ mantissa, exponent }: Decimal, factor: number | bigint): Decimal {
  return decimal(BigInt(mantissa) * BigInt(factor), exponent);
}

export function signOf({ mantissa }: Decimal): -1 | 0 | 1 {
  return mantissa < 0 ? -1 : mantissa > 0 ? 1 : 0;
}

function digitsOf(mantissa: number | bigint): number {
  const text = String(mantissa);
  return mantissa < 0 ? text.length - 1 : text.length;
}

export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  if (a.exponent === b.exponent) return a.mantissa < b.mantissa ? -1 : a.mantissa > b.mantissa ? 1 : 0;
  const sign = signOf(a);
  if (sign !== signOf(b)) return sign < signOf(b) ? -1 : 1;
  if (sign === 0) return 0;
  // by order of magnitude first, so that huge exponents cost nothing
  const size = digitsOf(a.mantissa) + a.exponent - digitsOf(b.mantissa) - b.exponent;
  if (size !== 0) return size < 0 === sign > 0 ? -1 : 1;
  const exponent = Math.min(a.exponent, b.exponent);
  const x = at(a, exponent);
  const y = at(b, exponent);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The value in units of 10^exponent, rounded away from zero. */
export function scaled(value: Decimal, exponent: number): bigint {
  if (value.exponent >= exponent) return BigInt(at(value, exponent));
  const mantissa = BigInt(value.mantissa);
  const shift = exponent - value.exponent;
  if (shift > digitsOf(mantissa)) return BigInt(signOf(value));
  const unit = 10n ** BigInt(shift);
  const whole = mantissa / unit;
  return whole * unit === mantissa ? whole : whole + BigInt(signOf(value));
}

/** The same value, rounded away from zero to a multiple of 10^exponent if it is finer. */
export function roundedUp(value: Decimal, exponent: number): Decimal {
  return value.exponent >= exponent ? value : decimal(scaled(value, exponent), exponent);
}

/** The same value with no zero at the end of the mantissa. */
export function stripped({ mantissa, exponent }: Decimal): Decimal {
  if (typeof mantissa === "number") {
    let small = mantissa;
    let power = exponent;
    while (small !== 0 && small % 10 === 0) {
      small /= 10;
      power++;
    }
    return { mantissa: small, exponent: power };
  }
  const text = mantissa.toString();
  const digits = text.replace(/(?<!0)0+$/, "");
  return decimal(BigInt(digits), exponent + text.length - digits.length);
}
