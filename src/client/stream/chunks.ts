/** Reads a response body in small pieces without stalling the event loop. */
import { type Clock, cooperative, type HttpBody } from "../../base/index.js";

/** Small enough to be decoded well within a slice, large enough that the overhead is negligible. */
const pieceBytes = 64 * 1024;

/** The first piece holds an object or two: code that runs for the first time takes a hundred times as long. */
const firstPieceBytes = 4 * 1024;

/** A fraction of a turn: the reader of the pieces works in the same turn, and so does the garbage collector. */
const sliceMs = 1;

/** The body's bytes in order, in pieces of at most 64 KiB, with a turn of the event loop whenever a slice of time is used up. */
export async function* piecesOf(body: HttpBody, clock: Clock): AsyncGenerator<Uint8Array, void, undefined> {
  const slice = cooperative({ clock, sliceMs });
  let size = firstPieceBytes;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    for (let from = 0; from < chunk.length; ) {
      const end = Math.min(from + size, chunk.length);
      yield from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end);
      from = end;
      size = Math.min(2 * size, pieceBytes);
      if (slice.due()) await slice.pause();
    }
  }
}
