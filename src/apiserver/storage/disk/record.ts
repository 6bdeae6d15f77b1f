/** Transactions and objects as bytes, and back. */
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

/** Gathers parts behind room for the frame's head; a number takes its place in order. */
class Writer {
  readonly #parts: Uint8Array[] = [Buffer.alloc(headRoom)];

  u8(value: number): void {
    this.#parts.push(Buffer.from([value]));
  }

  u32(value: number): void {
    const part = Buffer.allocUnsafe(4);
    part.writeUInt32LE(value);
    this.#parts.push(part);
  }

  f64(value: number): void {
    const part = Buffer.allocUnsafe(8);
    part.writeDoubleLE(value);
    this.#parts.push(part);
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    this.#parts.push(value);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value));
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
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

  /** Passes over the next `length` bytes and gives where they begin. */
  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#from.length) throw new RecordError("a record ends early");
    this.#at = at + length;
    return at;
  }
}

/** Bytes with a sound checksum that are no record all the same. */
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

/** A frame with its head still to be filled in. */
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

export function decodeBatch(payload: Buffer): readonly RecordedTransaction[] {
  const from = new Reader(payload);
  const transactions: RecordedTransaction[] = [];
  while (!from.done) {
    const revision = from.revision();
    const changes: RecordedChange[] = [];
    for (let left = from.u32(); left > 0; left--) changes.push(readChange(from));
    transactions.push({ revision, changes });
  }
  return transactions;
}

function readChange(from: Reader): RecordedChange {
  const op = from.u8();
  if (op === putOp) return { type: "put", recorded: readStored(from) };
  if (op === deleteOp) return { type: "delete", collection: from.text(), key: from.text() };
  throw new RecordError(`${op} is no kind of change`);
}

/** A frame with its head still to be filled in. */
export function encodeObjects(objects: readonly Stored[]): Buffer {
  const out = new Writer();
  for (const stored of objects) writeStored(out, stored);
  return out.finish();
}

export function decodeObjects(payload: Buffer): readonly Recorded[] {
  const from = new Reader(payload);
  const objects: Recorded[] = [];
  while (!from.done) objects.push(readStored(from));
  return objects;
}

const endBytes = 5;

/** The last frame of a snapshot says how many objects there must have been; five bytes can be no object. */
export function encodeEnd(count: number): Buffer {
  const end = Buffer.alloc(headRoom + endBytes, 0xff);
  end.writeUInt32LE(count, headRoom);
  return end;
}

/** How many objects came before, if this is the end. */
export function decodeEnd(payload: Buffer): number | undefined {
  return payload.length === endBytes ? payload.readUInt32LE(0) : undefined;
}
