/** Measures JSON text before it is parsed: its depth, and the number of its parts. */

const maxDepth = 500;
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** The deepest level, and the members, objects and lists: each has one `:`, `{` or `[` outside strings. */
export function jsonExtent(bytes: Uint8Array): { readonly depth: number; readonly parts: number } {
  let [parts, depth, deepest] = [0, 0, 0];
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === colon) parts++;
    // each two brackets differ in one bit
    else if ((byte | 0x20) === 0x7b) {
      parts++;
      if (++depth > deepest) deepest = depth;
    } else if ((byte | 0x20) === 0x7d) depth--;
  }
  return { depth: deepest, parts };
}

/** The complaint about text that is nested too deeply to be parsed safely; undefined if it is not. */
export function depthComplaint(bytes: Uint8Array): string | undefined {
  return mayBeDeep(bytes) ? complaintAbout(jsonExtent(bytes).depth) : undefined;
}

export const complaintAbout = (depth: number): string | undefined =>
  depth > maxDepth ? `the body is nested more than ${maxDepth} levels deep` : undefined;

/** False for text with too few bytes or brackets, in strings too, to be too deep. */
export function mayBeDeep(bytes: Uint8Array): boolean {
  if (bytes.length < maxDepth) return false;
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (((bytes[i] as number) | 0x20) === 0x7b) count++;
  return count > maxDepth;
}
