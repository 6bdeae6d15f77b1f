/** Names for revisions of a template: takes any data, gives a short word that changes when the data changes. */
import { entriesByName } from "../base/members.js";
import { fnv1a } from "../base/random.js";

/**
 * Letters and digits that form no words and are not easily mistaken for one another; the alphabet of upstream's `rand`
 * package.
 */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Maps each character into the safe alphabet, so that the result can be part of a name or a label value. */
function safeEncode(text: string): string {
  let encoded = "";
  for (let i = 0; i < text.length; i++) encoded += alphabet[text.charCodeAt(i) % alphabet.length];
  return encoded;
}

/** The hash of the data, of at most ten characters. Another `collisionCount` gives another hash for the same data. */
export function templateHash(template: unknown, collisionCount?: number): string {
  let hash = fnv1a(canonical(template));
  if (collisionCount !== undefined) hash = fnv1a(String.fromCharCode(...littleEndian(collisionCount)), hash);
  return safeEncode(String(hash >>> 0));
}

function littleEndian(count: number): number[] {
  return [count & 0xff, (count >>> 8) & 0xff, (count >>> 16) & 0xff, (count >>> 24) & 0xff, 0, 0, 0, 0];
}

/** JSON with sorted keys: two objects that differ only in the order of their keys are the same template. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(entriesByName(part)) : part,
  );
}
