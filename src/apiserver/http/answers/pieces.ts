/** Memory for the pieces of long answers, used again and again: a list of many megabytes would leave as much garbage. From json-list, back from the listener. */

export const pieceBytes: number = 256 * 1024;

const free: ArrayBuffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();
/** Kept for the next answers; more than this many are in use at once only under load. */
const maxFree = 8;

/** May be longer than asked for, never shorter. */
export function borrowPiece(size: number): Buffer {
  const memory = size <= pieceBytes ? (free.pop() ?? new ArrayBuffer(pieceBytes)) : new ArrayBuffer(size);
  if (size <= pieceBytes) lent.add(memory);
  return Buffer.from(memory);
}

/** By whoever sent a chunk and is sure that nobody looks at it any more. What was not borrowed is let be. */
export function returnPiece({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && free.length < maxFree) free.push(buffer as ArrayBuffer);
}
