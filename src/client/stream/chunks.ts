/** Reads a response body in small pieces without holding up the event loop. From list and watch streams; to Transport bodies. */
import { type Clock, cooperative, type HttpBody } from "../../base/index.js";

/** Small enough to be decoded well within a slice, large enough that handling it piecewise costs nothing. */
const pieceBytes = 64 * 1024;

/** A fraction of what a turn may take: whoever reads the pieces works in the same turn, and garbage is collected in it too. */
const sliceMs = 2;

/** The body's bytes in order, none larger than 64 KiB, with a turn of the event loop whenever a slice of time is used up. */
export async function* piecesOf(body: HttpBody, clock: Clock): AsyncGenerator<Uint8Array, void, undefined> {
  const slice = cooperative({ clock, sliceMs });
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      yield chunk.length <= pieceBytes ? chunk : chunk.subarray(from, from + pieceBytes);
      if (slice.due()) await slice.pause();
    }
  }
}
