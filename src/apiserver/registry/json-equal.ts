/** Equality of JSON values: absent and undefined members are the same, order of keys does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameJson(item, b[i]));
  }
  return sameMembers(a as Record<string, unknown>, b as Record<string, unknown>);
}

function sameMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  let members = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    members++;
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) members--;
  return members === 0;
}
