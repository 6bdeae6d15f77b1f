/** Names for revisions of a template: takes any data, gives a short word that changes when the data does. */

/** Letters and digits that spell no words and cannot be confused. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Maps each character into the safe alphabet, so that the result can stand in names and label values. */
function safeEncode(text: string): string {
  let encoded = "";
  for (let i = 0; i < text.length; i++) encoded += alphabet[text.charCodeAt(i) % alphabet.length];
  return encoded;
}

/** The data's hash, at most ten characters; `collisionCount` gives another word for the same data. */
export function templateHash(template: unknown, collisionCount?: number): string {
  let hash = fnv1a(canonical(template), 0x811c9dc5);
  if (collisionCount !== undefined) hash = fnv1a(String.fromCharCode(...littleEndian(collisionCount)), hash);
  return safeEncode(String(hash >>> 0));
}

function littleEndian(count: number): number[] {
  return [count & 0xff, (count >>> 8) & 0xff, (count >>> 16) & 0xff, (count >>> 24) & 0xff, 0, 0, 0, 0];
}

function fnv1a(text: string, start: number): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** JSON with sorted keys: two objects that differ only in the order of keys are the same template. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
