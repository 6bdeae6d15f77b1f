/** Refuses bodies that are nested too deeply, before they are parsed. */
import { newBadRequest } from "../../../api/index.js";

const maxDepth = 500;
const quote = 0x22;
const backslash = 0x5c;

/** Counts brackets outside strings; a body with too few bytes or brackets to be too deep is not scanned. */
export function checkDepth(bytes: Uint8Array): void {
  if (bytes.length < maxDepth || openings(bytes) <= maxDepth) return;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw newBadRequest(`the body is nested more than ${maxDepth} levels deep`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

/** The number of `[` and `{`, in strings too: the two differ in one bit. */
function openings(bytes: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (((bytes[i] as number) | 0x20) === 0x7b) count++;
  return count;
}
