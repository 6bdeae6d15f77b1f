/** Encodes and decodes transactions and objects. */
import type { Stored } from "../contract.js";
import type { Transaction } from "../journal.js";
import type { Recorded, RecordedChange } from "../versions.js";
import { headRoom } from "./frame.js";

export interface RecordedTransaction {
  readonly revision: number;
  readonly changes: readonly RecordedChange[];
}

const putOp = 1;
const deleteOp = 2;

/**
 * Writes values one behind the other, behind room for the frame's head. Invariant: the first `#used` bytes of `#buffer`
 * are written.
 */
class Writer {
  #buffer = Buffer.alloc(64 * 1024);
  #used = headRoom;

  u8(value: number): void {
    const at = this.#room(1);
    this.#buffer.writeUInt8(value, at);
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeUInt32LE(value, at);
  }

  f64(value: number): void {
    const at = this.#room(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    const at = this.#room(value.length);
    this.#buffer.set(value, at);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.u32(length);
    const at = this.#room(length);
    this.#buffer.write(value, at);
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#used);
  }

  /** Gives where the next `length` bytes go. */
  #room(length: number): number {
    const at = this.#used;
    this.#used += length;
    if (this.#used > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#used, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    return at;
  }
}

class Reader {
  readonly #from: Buffer;
  #at = 0;

  constructor(from: Buffer) {
    this.#from = from;
  }

  get done(): boolean {
    return this.#at >= this.#from.length;
  }

  u8(): number {
    return this.#from.readUInt8(this.#take(1));
  }

  u32(): number {
    return this.#from.readUInt32LE(this.#take(4));
  }

  f64(): number {
    return this.#from.readDoubleLE(this.#take(8));
  }

  revision(): number {
    const revision = this.f64();
    if (!Number.isSafeInteger(revision) || revision < 1) throw new RecordError(`${revision} is no revision`);
    return revision;
  }

  /** A view of the payload. */
  bytes(): Buffer {
    const length = this.u32();
    const at = this.#take(length);
    return this.#from.subarray(at, at + length);
  }

  text(): string {
    const length = this.u32();
    const at = this.#take(length);
    return this.#from.toString("utf8", at, at + length);
  }

  /** Skips the next `length` bytes and gives the position where they begin. */
  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#from.length) throw new RecordError("a record ends early");
    this.#at = at + length;
    return at;
  }
}

/** Bytes with a valid checksum that are no record all the same. */
export class RecordError extends Error {
  override readonly name = "RecordError";
}

function writeStored(out: Writer, { collection, key, revision, expiresAt, bytes }: Recorded): void {
  out.text(collection);
  out.text(key);
  out.f64(revision);
  out.f64(expiresAt ?? 0);
  out.bytes(bytes);
}

function readStored(from: Reader): Recorded {
  const collection = from.text();
  const key = from.text();
  const revision = from.revision();
  const expiresAt = from.f64();
  return { collection, key, revision, ...(expiresAt === 0 ? {} : { expiresAt }), bytes: from.bytes() };
}

/** A frame whose head is still to be filled in. */
export function encodeBatch(batch: readonly Transaction[]): Buffer {
  const out = new Writer();
  for (const { revision, events } of batch) {
    out.f64(revision);
    out.u32(events.length);
    for (const { current, collection, key } of events) {
      if (current === undefined) {
        out.u8(deleteOp);
        out.text(collection);
        out.text(key);
      } else {
        out.u8(putOp);
        writeStored(out, current);
      }
    }
  }
  return out.finish();
}

/** Decodes one transaction at each step. A step throws RecordError where the payload is no record. */
export function* decodeBatch(payload: Buffer): Generator<RecordedTransaction> {
  const from = new Reader(payload);
  while (!from.done) {
    const revision = from.revision();
    const changes: RecordedChange[] = [];
    for (let left = from.u32(); left > 0; left--) changes.push(readChange(from));
    yield { revision, changes };
  }
}

function readChange(from: Reader): RecordedChange {
  const op = from.u8();
  if (op === putOp) return { type: "put", recorded: readStored(from) };
  if (op === deleteOp) return { type: "delete", collection: from.text(), key: from.text() };
  throw new RecordError(`${op} is no kind of change`);
}

/** A frame whose head is still to be filled in. */
export function encodeObjects(objects: readonly Stored[]): Buffer {
  const out = new Writer();
  for (const stored of objects) writeStored(out, stored);
  return out.finish();
}

/** Decodes one object at each step. A step throws RecordError where the payload is no record. */
export function* decodeObjects(payload: Buffer): Generator<Recorded> {
  const from = new Reader(payload);
  while (!from.done) yield readStored(from);
}

const endBytes = 5;

/** The last frame of a snapshot, with the number of objects before it; no object has so few bytes. */
export function encodeEnd(count: number): Buffer {
  const end = Buffer.alloc(headRoom + endBytes, 0xff);
  end.writeUInt32LE(count, headRoom);
  return end;
}

/** The number of objects before, if this is the last frame. */
export function decodeEnd(payload: Buffer): number | undefined {
  return payload.length === endBytes ? payload.readUInt32LE(0) : undefined;
}

/** A turn of the event loop handles records until one of these is reached; either is a few milliseconds of work. */
const recordsATurn = 256;
const bytesATurn = 512 * 1024;

/**
 * Lets other work run between portions of a long loop over records: it counts them; `passed` is true when enough were
 * handled for one turn, and then the loop awaits `next`.
 */
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
