/** Streams that take no more bytes for now. */
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
