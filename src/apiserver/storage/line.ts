/** Bytes of objects with the end of a line behind them, as objects are answered. */

export const lineEnd = 0x0a;

/**
 * The bytes and the end of a line. Where that stands behind them in memory already, as behind a stored version, nothing
 * is copied.
 */
export function asLine(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  if (buffer.byteLength > byteOffset + length) {
    const line = new Uint8Array(buffer, byteOffset, length + 1);
    if (line[length] === lineEnd) return line;
  }
  return Buffer.concat([bytes, Buffer.of(lineEnd)]);
}
