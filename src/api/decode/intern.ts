/** One string for many equal ones: labels, namespaces and field names repeat in thousands of objects. Serves the decoder. */

const slots = 1 << 14;

/** Longer strings seldom repeat. */
const longest = 96;

/**
 * A table of fixed size: a string takes the place of another one that falls into its slot, so memory is bounded and nothing
 * needs to be evicted. Only printable ASCII without quotes and backslashes can be found, which is what repeats.
 */
export class StringTable {
  readonly #strings: (string | undefined)[] = Array.from({ length: slots }, () => undefined);

  /** The string whose bytes are `bytes[start, end)`; they must be ASCII, and `hash` what `hashStep` made of them in turn. */
  get(bytes: Buffer, start: number, end: number, hash: number): string {
    const length = end - start;
    if (length === 0) return "";
    if (length > longest) return bytes.toString("latin1", start, end);
    const slot = (hash ^ (hash >>> 15)) & (slots - 1);
    const known = this.#strings[slot];
    if (known !== undefined && known.length === length && equals(known, bytes, start)) return known;
    const added = internalized(bytes.toString("latin1", start, end));
    this.#strings[slot] = added;
    return added;
  }
}

export function hashStep(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

function equals(text: string, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** A string that was a property's name is the engine's own copy: as a key it is then found without comparing. */
function internalized(text: string): string {
  for (const key in { [text]: undefined }) return key;
  return text;
}
