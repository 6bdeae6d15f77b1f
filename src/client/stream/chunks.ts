/** Reads a response body in small pieces without holding up the event loop. From list and watch streams; to Transport bodies. */
import { type Clock, cooperative, type HttpBody } from "../../base/index.js";

/** Small enough to be decoded well within a slice, large enough that handling it piecewise costs nothing. */
const pieceBytes = 64 * 1024;

/** The first piece is as long as an object or two: code that runs for the first time takes a hundred times as long. */
const firstPieceBytes = 4 * 1024;

/** A fraction of what a turn may take: whoever reads the pieces works in the same turn, and garbage is collected in it too. */
const sliceMs = 1;

/** The body's bytes in order, none larger than 64 KiB, with a turn of the event loop whenever a slice of time is used up. */
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
