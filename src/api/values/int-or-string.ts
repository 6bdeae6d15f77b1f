/** IntOrString: a field that holds a number or a text, most often a percentage. */
import { goQuote } from "../go-quote.js";
import type { IntOrString } from "../scalars.js";

/** Text that is a 32-bit decimal becomes a number; other text stays. */
export function parseIntOrString(text: string): IntOrString {
  if (!/^[+-]?[0-9]{1,12}$/.test(text)) return text;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : text;
}

/** The number; for text, the number that it spells, or 0. */
export function intOrStringValue(value: IntOrString): number {
  if (typeof value === "number") return value;
  return /^[+-]?[0-9]{1,18}$/.test(value) ? Number(value) : 0;
}

export type Rounding = "up" | "down";

/**
 * The number itself, or that percentage of `total`, rounded as asked for. Throws for text that is not a whole
 * percentage, and for an absent value, because only the caller knows its default.
 */
export function scaledValueOf(value: IntOrString | undefined, total: number, rounding: Rounding): number {
  if (value === undefined) throw new Error("nil value for IntOrString");
  if (typeof value === "number") return value;
  if (!value.endsWith("%")) throw new Error("invalid value for IntOrString: invalid type: string is not a percentage");
  const digits = value.slice(0, -1);
  if (!/^[+-]?[0-9]{1,18}$/.test(digits)) {
    const why = `strconv.Atoi: parsing ${goQuote(digits)}: invalid syntax`;
    throw new Error(`invalid value for IntOrString: invalid value ${goQuote(value)}: ${why}`);
  }
  const share = (Number(digits) * total) / 100;
  // + 0 turns -0 into 0
  return (rounding === "up" ? Math.ceil(share) : Math.floor(share)) + 0;
}
