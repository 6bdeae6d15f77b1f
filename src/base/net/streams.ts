/** Reads and writes streams within limits. */
import type { Writable } from "node:stream";

/** Resolves when a stream whose `write` gave false takes bytes again, or is closed. */
export function roomIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
    if (stream.destroyed || !stream.writableNeedDrain) done();
  });
}

/** All bytes of a body; rejects with `tooLarge` as soon as there are more than `maxBytes`, and reads no further. */
export async function collected(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // leaving the loop ends the body's source
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
