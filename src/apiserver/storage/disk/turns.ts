/** Lets other work run between portions of a long loop over records, by count and size of the records. */

/** A turn of the event loop handles records until one of these is reached; either is a few milliseconds of work. */
const recordsATurn = 256;
const bytesATurn = 512 * 1024;

/** Counts records; `passed` is true when enough were handled for one turn, and then the loop awaits `next`. */
export class RecordTurns {
  #records = 0;
  #bytes = 0;

  passed(bytes: number): boolean {
    this.#records += 1;
    this.#bytes += bytes;
    return this.#records >= recordsATurn || this.#bytes >= bytesATurn;
  }

  async next(): Promise<void> {
    this.#records = 0;
    this.#bytes = 0;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
