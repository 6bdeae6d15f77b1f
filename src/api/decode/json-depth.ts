/** Finds JSON that is nested too deeply to be parsed safely. */

const maxDepth = 500;
const quote = 0x22;
const backslash = 0x5c;

/**
 * The complaint about text that is nested too deeply; undefined if it is not. Counts brackets outside strings; a text with
 * too few bytes or brackets to be too deep is not scanned.
 */
export function depthComplaint(bytes: Uint8Array): string | undefined {
  if (bytes.length < maxDepth || openings(bytes) <= maxDepth) return undefined;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return `the body is nested more than ${maxDepth} levels deep`;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return undefined;
}

/** The number of `[` and `{`, in strings too: the two differ in one bit. */
function openings(bytes: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (((bytes[i] as number) | 0x20) === 0x7b) count++;
  return count;
}
