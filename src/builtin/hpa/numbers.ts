/** Go's integer arithmetic where the autoscaler's results depend on it: conversions of floats, and overflow. */
import { parseQuantity } from "../../api/index.js";

const maxInt32 = 2 ** 31 - 1;
const minInt64 = -(2n ** 63n);

/** A float as an int32. One that is out of range, or not a number, becomes the smallest, as on amd64. */
export const int32 = (value: number): number =>
  value > maxInt32 || value < -maxInt32 - 1 || Number.isNaN(value) ? -maxInt32 - 1 : Math.trunc(value);

/** As `int32`, but a number that is too large becomes the largest. */
export const cappedInt32 = (value: number): number => (value > maxInt32 ? maxInt32 : int32(value));

/** A float as an int64, by the same rule. */
export const int64 = (value: number): bigint =>
  Number.isFinite(value) && Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : minInt64;

/** A quantity in thousandths. One that an int64 cannot hold counts as nothing, as Quantity.MilliValue gives it. */
export function milliOf(text = "0"): bigint {
  const value = parseQuantity(text).milliValue();
  return wrapped(value) === value ? value : 0n;
}

/** The sum with the overflow of an int64. */
export const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value);

export const maxInt64: bigint = 2n ** 63n - 1n;
