/** A response body between a socket that pushes and a reader that pulls. */
import type { HttpBody } from "../../base/index.js";

/** The stream that fills the queue. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Called when the reader has stopped early. */
  cancel(): void;
}

/** The unread bytes of a slow reader beyond which the server is held back. */
const highWaterBytes = 1024 * 1024;
/** The memory that a chunk costs beside its bytes; it holds back a sender of very many tiny chunks. */
const chunkBytes = 128;
/** This many consecutive chunks that are smaller than `smallBytes` are joined, unless each is a message. */
const joinedChunks = 4096;
const smallBytes = 1024;

export interface BodyQueueOptions {
  /** True if each chunk is a message: they are never joined. */
  readonly isMessages?: boolean;
}

interface Whole {
  readonly maxBytes: number;
  tooLarge(): Error;
  resolve(bytes: Buffer): void;
  reject(error: Error): void;
}

interface Reader {
  resolve(result: IteratorResult<Uint8Array>): void;
  reject(error: Error): void;
}

/**
 * Chunks in order, then the end or an error. For one reader, which has at most one `next` pending.
 * Invariants:
 * 1. If a reader waits, no chunk does.
 * 2. The source is paused from the moment when more than the mark waits until half of it is read.
 * 3. After the end or an error nothing is accepted.
 * 4. A reader that waits for the whole body holds nothing back, up to `maxBytes`.
 * 5. `#bytes` is the length of all waiting chunks. At most `#small` small ones stand last, fewer than `joinedChunks`
 *    unless they are messages.
 * 6. While `#isHolding`, no chunk comes: a borrower has one, or one waits for it. When the borrower asks and none
 *    waits, the source goes on.
 */
export class BodyQueue implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
  readonly #source: BodySource;
  readonly #isMessages: boolean;
  #chunks: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  #small = 0;
  #paused = false;
  #end: { readonly error?: Error } | undefined;
  #reader: Reader | undefined;
  /** Whether the reader, as far as is known, is done with a chunk when it asks for the next. */
  #borrows = false;
  #isHolding = false;
  #whole: Whole | undefined;

  constructor(source: BodySource, { isMessages = false }: BodyQueueOptions = {}) {
    this.#source = source;
    this.#isMessages = isMessages;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this;
  }

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#small = chunk.length < smallBytes ? this.#small + 1 : 0;
    if (this.#small >= joinedChunks && !this.#isMessages) this.#join();
    if (this.#whole !== undefined) {
      if (this.#bytes > this.#whole.maxBytes) this.#giveUp(this.#whole.tooLarge());
    } else if (!this.#paused && this.#waiting > highWaterBytes) {
      this.#paused = true;
      this.#source.pause();
    }
  }

  /** The memory of the waiting chunks, in bytes. */
  get #waiting(): number {
    return this.#bytes + (this.#chunks.length - this.#first) * chunkBytes;
  }

  #join(): void {
    const from = Math.max(this.#first, this.#chunks.length - this.#small);
    this.#chunks.push(Buffer.concat(this.#chunks.splice(from)));
    this.#small = 0;
  }

  /**
   * Takes a chunk whose memory stays its sender's: a waiting borrower reads it in place, for any other reader it is
   * copied. False if nothing may be written there, and nothing else comes, until the source is resumed.
   */
  lend(chunk: Uint8Array): boolean {
    const reader = this.#reader;
    // if more came meanwhile, a borrower that is behind would stay behind and get copies for ever
    this.#isHolding = this.#borrows;
    if (!this.#borrows || reader === undefined) {
      this.push(Buffer.from(chunk));
      return !this.#paused && !this.#isHolding;
    }
    this.#reader = undefined;
    reader.resolve({ done: false, value: chunk });
    return false;
  }

  end(): void {
    this.#finish({});
  }

  /** The reader still gets the chunks that have arrived, unless `dropRest` (an abort). */
  fail(error: Error, options: { readonly dropRest?: boolean } = {}): void {
    if (options.dropRest === true) this.#drop();
    this.#finish({ error });
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return this.#next(false);
  }

  /** The same chunks, each of which is valid until the next is asked for. */
  borrowed(): AsyncIterable<Uint8Array> {
    const reader = { next: () => this.#next(true), return: () => this.return() };
    return { [Symbol.asyncIterator]: () => reader };
  }

  #next(borrows: boolean): Promise<IteratorResult<Uint8Array>> {
    this.#borrows = borrows;
    const chunk = this.#take();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    if (this.#end !== undefined) {
      const { error } = this.#end;
      this.#end = {};
      return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      if (!this.#isHolding) return;
      this.#isHolding = false;
      this.#source.resume();
    });
  }

  /**
   * The rest of the body in one piece, once the end is there. Rejects with `tooLarge`, and ends the source, as soon as
   * it is more than `maxBytes`.
   */
  whole(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#whole = { maxBytes, tooLarge, resolve, reject };
      if (this.#bytes > maxBytes) return this.#giveUp(tooLarge());
      if (this.#end !== undefined) return this.#tellWhole(this.#end);
      if (!this.#paused && !this.#isHolding) return;
      this.#paused = false;
      this.#isHolding = false;
      this.#borrows = false;
      this.#source.resume();
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#drop();
    if (this.#end === undefined) {
      this.#end = {};
      this.#source.cancel();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(): Uint8Array | undefined {
    if (this.#first === this.#chunks.length) return undefined;
    const chunk = this.#chunks[this.#first++] as Uint8Array;
    if (this.#first === this.#chunks.length) {
      this.#chunks = [];
      this.#first = 0;
    } else if (this.#first > 256) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
    this.#bytes -= chunk.length;
    if (this.#paused && this.#waiting <= highWaterBytes / 2) {
      this.#paused = false;
      this.#source.resume();
    }
    return chunk;
  }

  #tellWhole({ error }: { readonly error?: Error }): void {
    this.#end = {};
    if (error !== undefined) this.#whole?.reject(error);
    else this.#whole?.resolve(joined(this.#chunks.slice(this.#first)));
    this.#drop();
  }

  #giveUp(error: Error): void {
    const isOpen = this.#end === undefined;
    this.#tellWhole({ error });
    if (isOpen) this.#source.cancel();
  }

  #drop(): void {
    this.#small = 0;
    this.#chunks = [];
    this.#first = 0;
    this.#bytes = 0;
  }

  #finish(end: { readonly error?: Error }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (this.#whole !== undefined) return this.#tellWhole(end);
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    if (end.error === undefined) reader.resolve({ done: true, value: undefined });
    else {
      this.#end = {};
      reader.reject(end.error);
    }
  }
}

/** The body for a reader that is done with each chunk when it asks for the next, which saves copies. */
export function borrowed(body: HttpBody): HttpBody {
  return body instanceof BodyQueue ? body.borrowed() : body;
}

/** The bytes in one piece; not copied if they are in one already. */
function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (chunks.length !== 1 || only === undefined) return Buffer.concat(chunks);
  return Buffer.isBuffer(only) ? only : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
