/** Refuses bodies of very many small parts before they are parsed. */
import { newRequestEntityTooLarge } from "../../../api/index.js";
import { maxParts } from "../../contracts/codec.js";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Throws a 413 for more than `maxParts` parts. A text that is too short to have them is not scanned. */
export function checkParts(bytes: Uint8Array): void {
  if (bytes.length <= 2 * maxParts || partsOf(bytes) <= maxParts) return;
  throw newRequestEntityTooLarge(`the body has more than ${maxParts} members, objects and lists`);
}

/** The members, objects and lists of JSON text: each has one `:`, `{` or `[` outside strings. */
function partsOf(bytes: Uint8Array): number {
  let parts = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    // `[` and `{` differ in one bit
    else if (byte === colon || (byte | 0x20) === 0x7b) parts++;
  }
  return parts;
}
