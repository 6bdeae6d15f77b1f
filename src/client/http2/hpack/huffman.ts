/** Decodes the Huffman code of HPACK (RFC 7541, appendix B). Our own headers are sent without it. */
import { lazy } from "../../../base/lazy.js";
import { ProtocolViolation } from "../../transport/headers.js";

/**
 * The number of bits of each byte's code, as digits to the base 36; the last is the end of the string. The code is
 * canonical (codes of one length ascend with the bytes), so nothing else is needed.
 */
const lengths =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad677777777777777777777" +
  "77878djde6f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmo" +
  "lmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu";

const endOfString = 256;
const longest = 30;

interface Codes {
  /** Indexed by the next eight bits: length << 8 | byte, or 0 if the code is longer. */
  readonly short: Uint16Array;
  /** By length: the first code of that length, and the index of its first symbol. */
  readonly firstCode: readonly number[];
  readonly firstSymbol: readonly number[];
  readonly count: readonly number[];
  readonly symbols: readonly number[];
}

/** Made at the first use, so that importing the client stays cheap. */
const codes = lazy((): Codes => {
  const lengthOf = Array.from(lengths, (digit) => Number.parseInt(digit, 36));
  const symbols: number[] = [];
  const firstCode: number[] = [];
  const firstSymbol: number[] = [];
  const count: number[] = [];
  const short = new Uint16Array(256);
  let code = 0;
  for (let length = 0; length <= longest; length++) {
    firstCode[length] = code;
    firstSymbol[length] = symbols.length;
    for (let symbol = 0; symbol <= endOfString; symbol++) {
      if (lengthOf[symbol] !== length) continue;
      symbols.push(symbol);
      if (length <= 8) short.fill((length << 8) | symbol, code << (8 - length), (code + 1) << (8 - length));
      code++;
    }
    count[length] = symbols.length - (firstSymbol[length] as number);
    code *= 2;
  }
  return { short, firstCode, firstSymbol, count, symbols };
});

/** The text of bytes [from, end). Throws a ProtocolViolation if they are not a proper encoding. */
export function huffmanDecode(bytes: Buffer, from: number, end: number): string {
  const { short } = codes();
  let text = "";
  let bits = 0;
  let have = 0;
  let at = from;
  for (;;) {
    while (have <= 16 && at < end) {
      bits = ((bits << 8) | (bytes[at++] as number)) & 0xffffff;
      have += 8;
    }
    // missing bits at the end count as ones, like the padding
    const next = have >= 8 ? (bits >>> (have - 8)) & 0xff : ((bits << (8 - have)) | (0xff >>> have)) & 0xff;
    const entry = short[next] as number;
    const length = entry >>> 8;
    if (entry !== 0 && length <= have) {
      text += String.fromCharCode(entry & 0xff);
      have -= length;
      continue;
    }
    if (at === end && have < 8 && isPadding(bits, have)) return text;
    const long = longCode(bytes, { at, end, bits, have });
    text += String.fromCharCode(long.symbol);
    ({ at, bits, have } = long);
  }
}

function isPadding(bits: number, have: number): boolean {
  const ones = (1 << have) - 1;
  return (bits & ones) === ones;
}

interface Position {
  readonly at: number;
  readonly end: number;
  /** The last `have` bits of `bits` were taken from the bytes before `at` and belong to no symbol yet. */
  readonly bits: number;
  readonly have: number;
}

/** Decodes one symbol bit by bit, for the rare long codes. */
function longCode(bytes: Buffer, position: Position): Position & { readonly symbol: number } {
  const { firstCode, firstSymbol, count, symbols } = codes();
  let { at, bits, have } = position;
  let code = 0;
  for (let length = 1; length <= longest; length++) {
    if (have === 0) {
      if (at === position.end) break;
      bits = bytes[at++] as number;
      have = 8;
    }
    code = code * 2 + ((bits >>> --have) & 1);
    const offset = code - (firstCode[length] as number);
    if (offset < 0 || offset >= (count[length] as number)) continue;
    const symbol = symbols[(firstSymbol[length] as number) + offset] as number;
    if (symbol === endOfString) break;
    return { symbol, at, end: position.end, bits, have };
  }
  throw new ProtocolViolation("a header is not properly encoded (RFC 7541, 5.2)");
}
