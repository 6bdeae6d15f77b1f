/** Reusable memory for the pieces of long answers: a list of many megabytes would otherwise leave as much garbage. */

export const pieceBytes: number = 256 * 1024;

const free: ArrayBuffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();
/** Pieces that are kept for the next answers; more are in use at once only under load. */
const maxFree = 8;

/** May be longer than requested, never shorter. */
export function borrowPiece(size: number): Buffer {
  const memory = size <= pieceBytes ? (free.pop() ?? new ArrayBuffer(pieceBytes)) : new ArrayBuffer(size);
  if (size <= pieceBytes) lent.add(memory);
  return Buffer.from(memory);
}

/** Called by the sender of a chunk that nothing refers to any more. Memory that was not borrowed is ignored. */
export function returnPiece({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && free.length < maxFree) free.push(buffer as ArrayBuffer);
}
