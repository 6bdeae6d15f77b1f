/** Takes a JSON value and gives a short text by which a later, changed value is noticed. */

/**
 * Values that are equal (by `deepEqual`: key order and `undefined` properties do not matter) have equal fingerprints.
 * Two different values collide by accident once in 2^64. No protection against people who search for a collision: use a
 * cryptographic hash for that.
 */
export function fingerprint(value: unknown): string {
  const { high, low } = mix(value);
  return `${(high >>> 0).toString(16)}-${(low >>> 0).toString(16)}`;
}

interface Mixed {
  readonly high: number;
  readonly low: number;
}

function mix(value: unknown): Mixed {
  if (typeof value !== "object" || value === null) return mixText(`${typeof value}:${String(value)}`);
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      const inner = mix(item);
      high = Math.imul(high ^ inner.high, 0x01000193) + 1;
      low = Math.imul(low ^ inner.low, 0x5bd1e995) + 1;
    }
    return { high: ~high, low: ~low };
  }
  for (const key in value) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item === undefined) continue;
    const name = mixText(key);
    const inner = mix(item);
    // a sum, because key order does not matter
    high = (high + scatter(name.high, inner.high)) | 0;
    low = (low + scatter(name.low, inner.low ^ inner.high)) | 0;
  }
  return { high, low };
}

function mixText(text: string): Mixed {
  let high = 0x811c9dc5;
  let low = 0xcc9e2d51;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 15;
  }
  return { high, low };
}

function scatter(a: number, b: number): number {
  const mixed = Math.imul(Math.imul(a, 0x85ebca6b) ^ b, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
