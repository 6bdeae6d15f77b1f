/** Transactions and objects as bytes, and back. Used by the log and by snapshots. */
import type { Stored } from "../storage.js";
import { StoredVersion } from "../stored.js";
import type { Transaction } from "../journal.js";

/** What a record says happened to a key: a new version, or its end. */
export type RecordedChange =
  | { readonly type: "put"; readonly stored: Stored }
  | { readonly type: "delete"; readonly collection: string; readonly key: string };

export interface RecordedTransaction {
  readonly revision: number;
  readonly changes: readonly RecordedChange[];
}

const putOp = 1;
const deleteOp = 2;

/** Gathers parts; a number takes its place in order. */
class Writer {
  readonly #parts: Uint8Array[] = [];

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
    return this.#from.readUInt8(this.#at++);
  }

  u32(): number {
    this.#at += 4;
    return this.#from.readUInt32LE(this.#at - 4);
  }

  f64(): number {
    this.#at += 8;
    return this.#from.readDoubleLE(this.#at - 8);
  }

  /** A copy in memory of its own: a few objects must not keep a whole file, nor each other, in memory. */
  bytes(): Buffer {
    const length = this.u32();
    const copy = Buffer.allocUnsafeSlow(length);
    this.#at += this.#from.copy(copy, 0, this.#at, this.#at + length);
    return copy;
  }

  text(): string {
    const length = this.u32();
    this.#at += length;
    return this.#from.toString("utf8", this.#at - length, this.#at);
  }
}

function writeStored(out: Writer, { collection, key, revision, expiresAt, bytes }: Stored): void {
  out.text(collection);
  out.text(key);
  out.f64(revision);
  out.f64(expiresAt ?? 0);
  out.bytes(bytes);
}

function readStored(from: Reader): Stored {
  const collection = from.text();
  const key = from.text();
  const revision = from.f64();
  const expiresAt = from.f64();
  const identity = { collection, key, revision, ...(expiresAt === 0 ? {} : { expiresAt }) };
  return StoredVersion.ofBytes(identity, from.bytes());
}

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
    const revision = from.f64();
    const changes = Array.from({ length: from.u32() }, (): RecordedChange => {
      if (from.u8() === putOp) return { type: "put", stored: readStored(from) };
      return { type: "delete", collection: from.text(), key: from.text() };
    });
    transactions.push({ revision, changes });
  }
  return transactions;
}

export function encodeObjects(objects: readonly Stored[]): Buffer {
  const out = new Writer();
  for (const stored of objects) writeStored(out, stored);
  return out.finish();
}

export function decodeObjects(payload: Buffer): readonly Stored[] {
  const from = new Reader(payload);
  const objects: Stored[] = [];
  while (!from.done) objects.push(readStored(from));
  return objects;
}
