/** The values of literals: numbers, and text and bytes with their escapes. Pure. */

const maxInt = 2n ** 63n;
const maxUint = 2n ** 64n;

/** Undefined if the number is out of range. */
export function intOf(text: string, negative: boolean): bigint | undefined {
  const value = negative ? -BigInt(text) : BigInt(text);
  return value >= -maxInt && value < maxInt ? value : undefined;
}

export function uintOf(text: string): bigint | undefined {
  const value = BigInt(text.slice(0, -1));
  return value < maxUint ? value : undefined;
}

export function doubleOf(text: string, negative: boolean): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? (negative ? -value : value) : undefined;
}

interface Quoted {
  readonly inner: string;
  readonly raw: boolean;
}

function unquoted(text: string): Quoted {
  const raw = /^[rR]/.test(text);
  const rest = raw ? text.slice(1) : text;
  const marks = /^(?:"""|''')/.test(rest) ? 3 : 1;
  return {
    inner: rest
      .slice(marks, rest.length - marks)
      .replaceAll("\r\n", "\n")
      .replaceAll("\r", "\n"),
    raw,
  };
}

const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  '"': '"',
  "'": "'",
  "\\": "\\",
  "?": "?",
  "`": "`",
};

const escapes =
  /\\(?:([abfnrtv"'\\?`])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|[^]?)/g;

/** Undefined if an escape is malformed. */
export function stringOf(text: string): string | undefined {
  const { inner, raw } = unquoted(text);
  if (raw) return inner;
  let wrong = false;
  const result = inner.replace(escapes, (_, ...groups: (string | undefined)[]) => {
    const [plain, hex, short, long, octal] = groups;
    if (plain !== undefined) return simple[plain] as string;
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!isCharacter) wrong = true;
    return isCharacter ? String.fromCodePoint(code) : "";
  });
  return wrong ? undefined : result;
}

/** The bytes of a literal with its leading `b`. Undefined if an escape is malformed. */
export function bytesOf(text: string): Uint8Array | undefined {
  const { inner, raw } = unquoted(text.slice(1));
  if (raw) return new Uint8Array(Buffer.from(inner));
  let wrong = false;
  const parts: Buffer[] = [];
  let after = 0;
  for (const found of inner.matchAll(escapes)) {
    const [whole, plain, hex, short, long, octal] = found;
    parts.push(Buffer.from(inner.slice(after, found.index)));
    after = found.index + whole.length;
    if (plain !== undefined) parts.push(Buffer.from(simple[plain] as string));
    else if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
    else if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8)]));
    else if (short === undefined && long === undefined) wrong = true;
    else {
      // bytes literals do not allow \u and \U
      wrong = true;
    }
  }
  parts.push(Buffer.from(inner.slice(after)));
  return wrong ? undefined : new Uint8Array(Buffer.concat(parts));
}
