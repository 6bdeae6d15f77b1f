/** Checks numbers that users give, so that a NaN is an error where it comes in and not a loop elsewhere. */

/** The range of a number: finite and not negative, unless the members say otherwise. */
export interface NumberRule {
  /** The minimum; 0 by default. */
  readonly min?: number;
  readonly max?: number;
  /** Whether fractions are refused. */
  readonly whole?: boolean;
  /** Whether Infinity is allowed, for "no limit". */
  readonly endless?: boolean;
}

/** Throws a RangeError that names the number; `undefined` passes. */
export function checkNumber(name: string, value: unknown, rule: NumberRule = {}): void {
  if (value === undefined) return;
  const { min = 0, max = Number.POSITIVE_INFINITY, whole = false, endless = false } = rule;
  const isGood =
    typeof value === "number" &&
    value >= min &&
    value <= max &&
    (value === Number.POSITIVE_INFINITY ? endless : !whole || Number.isInteger(value));
  if (isGood) return;
  const range = max === Number.POSITIVE_INFINITY ? `from ${min} on` : `from ${min} to ${max}`;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new RangeError(`${name} must be a ${whole ? "whole number" : "number"} ${range}, not ${shown}`);
}

/** Checks each option that has a rule. `where` names the owner of the options in the error. */
export function checkNumbers(where: string, options: object, rules: Readonly<Record<string, NumberRule>>): void {
  for (const [name, rule] of Object.entries(rules))
    checkNumber(`${where}: ${name}`, (options as Readonly<Record<string, unknown>>)[name], rule);
}
