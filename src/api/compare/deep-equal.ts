/** Equality of objects as data: the JSON of the API, no cycles. */

/**
 * Same JSON: key order does not matter, a property that is `undefined` is absent, `null` is a value, NaN equals itself.
 * Stops at parts that are the very same object, so objects that share most of their parts compare in no time.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a !== a && b !== b;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  return !Array.isArray(b) && equalRecords(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalRecords(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let known = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !deepEqual(value, b[key])) return false;
    known++;
  }
  for (const key in b) if (b[key] !== undefined) known--;
  return known === 0;
}
