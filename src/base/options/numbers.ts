/** Numbers that users give: checked where they come in, so that a NaN becomes an error there and not a loop elsewhere. */

/** The range that a number must be in: finite and not negative, unless the members say otherwise. */
export interface NumberRule {
  /** The least that it may be; 0 unless it is given. */
  readonly min?: number;
  readonly max?: number;
  /** Has no fraction. */
  readonly whole?: boolean;
  /** Infinity will do: there is no limit. */
  readonly endless?: boolean;
}

/** Throws a RangeError that names the number; `undefined` is no number, and passes. */
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

/** The same for each option that has a rule. `where` says whose options they are. */
export function checkNumbers(where: string, options: object, rules: Readonly<Record<string, NumberRule>>): void {
  for (const [name, rule] of Object.entries(rules))
    checkNumber(`${where}: ${name}`, (options as Readonly<Record<string, unknown>>)[name], rule);
}
