/** Passes options on without `undefined` values, which exact optional properties forbid. */

/** The named properties that are set. */
export function pickDefined<O extends object, K extends keyof O>(from: O, names: readonly K[]): Partial<Pick<O, K>> {
  const picked: Partial<Pick<O, K>> = {};
  for (const name of names) if (from[name] !== undefined) picked[name] = from[name];
  return picked;
}
