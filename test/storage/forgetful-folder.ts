/** A data folder in memory whose power can fail: it forgets unsynced data, in parts and out of order. */
import type { Random } from "../../src/base/index.js";
import { type DataFile, type DataFolder, inWords } from "../../src/apiserver/storage/disk/folder.js";

type Edit =
  | { readonly type: "write"; readonly at: number; readonly bytes: Buffer }
  | { readonly type: "truncate"; readonly length: number };

/** `edits` lead from `durable` to `content`. */
interface Inode {
  content: Buffer;
  durable: Buffer;
  edits: Edit[];
}

/** Names that get another inode, or none, in one step. */
type Naming = ReadonlyMap<string, Inode | undefined>;

const sectorBytes = 512;

const systemError = (code: string): Error => Object.assign(new Error(`${code}: simulated`), { code });

/**
 * Invariants:
 * 1. A file's content survives as it was at its last sync; of later changes any part may survive, sector by sector, and
 *    a lost sector may hold what another file had there.
 * 2. Names survive as they were at the folder's last sync; of later changes any step may.
 */
export class ForgetfulFolder implements DataFolder {
  readonly #random: Random;
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #namings: Naming[] = [];
  #operationsLeft = Number.POSITIVE_INFINITY;
  #failed = false;
  /** Handles of an earlier session, before the power failed, are useless. */
  #session = 0;
  /** The number of operations so far. */
  operations = 0;
  /** The number of bytes that still fit. */
  free: number = Number.POSITIVE_INFINITY;
  /** Called before each operation; gives the code of the error with which it shall fail, if any. */
  failure: (operation: string, name: string) => string | undefined = () => undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Makes the power fail in the middle of an operation, after this many more. */
  failAfter(operations: number): void {
    this.#operationsLeft = operations;
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  /** The process was killed, but the system goes on: nothing is forgotten yet. */
  kill(): void {
    this.#operationsLeft = Number.POSITIVE_INFINITY;
    this.#failed = false;
    this.#session++;
  }

  /** The power is back: each unsynced change is forgotten, or not. */
  restart(): void {
    const names = new Map(this.#durableNames);
    for (const naming of this.#namings) if (this.#random.int(2) === 0) apply(naming, names);
    const others = [...new Set([...this.#names.values(), ...this.#durableNames.values()])];
    for (const inode of new Set([...names.values(), ...others])) {
      inode.durable = this.#survivor(inode, others[this.#random.int(others.length)]);
      inode.content = inode.durable;
      inode.edits = [];
    }
    this.#names = names;
    this.#durableNames = new Map(names);
    this.#namings = [];
    this.kill();
  }

  /** All files as they are now. */
  image(): ReadonlyMap<string, Buffer> {
    return new Map([...this.#names].map(([name, { content }]) => [name, content]));
  }

  /** A folder that has these files, safely. */
  static of(files: ReadonlyMap<string, Buffer>, random: Random): ForgetfulFolder {
    const folder = new ForgetfulFolder(random);
    for (const [name, content] of files) folder.#names.set(name, { content, durable: content, edits: [] });
    folder.#durableNames = new Map(folder.#names);
    return folder;
  }

  async names(): Promise<readonly string[]> {
    await this.#step("names", "");
    return [...this.#names.keys()];
  }

  async create(name: string): Promise<DataFile> {
    const inode: Inode = { content: Buffer.alloc(0), durable: Buffer.alloc(0), edits: [] };
    await this.#step("create", name, () => this.#rename(new Map([[name, inode]])));
    return this.#file(inode, name);
  }

  async open(name: string): Promise<DataFile> {
    await this.#step("open", name);
    const inode = this.#names.get(name);
    if (inode === undefined) throw inWords(`open ${name}`, systemError("ENOENT"));
    return this.#file(inode, name);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#step("rename", to, () => {
      const inode = this.#names.get(from);
      if (inode === undefined) throw inWords(`make ${to}`, systemError("ENOENT"));
      this.#rename(
        new Map([
          [to, inode],
          [from, undefined],
        ]),
      );
    });
  }

  async remove(name: string): Promise<void> {
    await this.#step("remove", name, () => this.#rename(new Map([[name, undefined]])));
  }

  async sync(): Promise<void> {
    await this.#step("sync", "");
    this.#durableNames = new Map(this.#names);
    this.#namings = [];
  }

  #rename(naming: Naming): void {
    apply(naming, this.#names);
    this.#namings.push(naming);
  }

  #file(inode: Inode, name: string): DataFile {
    const session = this.#session;
    const step = async (operation: string, change?: () => void): Promise<void> => {
      if (session !== this.#session) throw new Error("the power had failed");
      await this.#step(operation, name, change);
    };
    const edit = (change: Edit): void => {
      inode.content = edited(inode.content, change);
      inode.edits.push(change);
    };
    return {
      async size() {
        await step("size");
        return inode.content.length;
      },
      async read(into, position) {
        await step("read");
        return inode.content.subarray(position).copy(into);
      },
      write: (bytes, position) =>
        step("write", () => {
          const before = inode.content.length;
          const fits = Math.min(bytes.length, before - position + this.free);
          edit({ type: "write", at: position, bytes: Buffer.from(bytes.subarray(0, fits)) });
          this.free -= inode.content.length - before;
          if (fits < bytes.length) throw inWords(`write to ${name}`, systemError("ENOSPC"));
        }),
      truncate: (length) => step("truncate", () => edit({ type: "truncate", length })),
      async sync() {
        await step("sync");
        inode.durable = inode.content;
        inode.edits = [];
      },
      async close() {},
    };
  }

  /** One operation: it fails, or is done; when the power fails during it, perhaps it is done all the same. */
  async #step(operation: string, name: string, change?: () => void): Promise<void> {
    await Promise.resolve();
    this.operations++;
    if (this.#failed) throw new Error("the power has failed");
    if (this.#operationsLeft-- <= 0) {
      this.#failed = true;
      if (this.#random.int(2) === 0) change?.();
      throw new Error("the power has failed");
    }
    const code = this.failure(operation, name);
    if (code !== undefined) throw inWords(`${operation} ${name}`, systemError(code));
    change?.();
  }

  #survivor({ durable, edits }: Inode, other: Inode | undefined): Buffer {
    let content = durable;
    for (const edit of edits) {
      const fate = this.#random.int(3);
      if (fate === 0) content = edited(content, edit);
      else if (fate === 1 && edit.type === "write") {
        for (const { at, bytes } of sectorsOf(edit)) {
          const kept = this.#random.int(3);
          if (kept === 0) content = edited(content, { type: "write", at, bytes });
          if (kept === 1) {
            const stale = Buffer.alloc(bytes.length);
            other?.durable.subarray(at).copy(stale);
            content = edited(content, { type: "write", at, bytes: stale });
          }
        }
      }
    }
    return content;
  }
}

function apply(naming: Naming, names: Map<string, Inode>): void {
  for (const [name, inode] of naming) {
    if (inode === undefined) names.delete(name);
    else names.set(name, inode);
  }
}

function edited(content: Buffer, edit: Edit): Buffer {
  const length = edit.type === "truncate" ? edit.length : Math.max(content.length, edit.at + edit.bytes.length);
  const result = Buffer.alloc(length);
  content.copy(result);
  if (edit.type === "write") edit.bytes.copy(result, edit.at);
  return result;
}

function* sectorsOf({ at, bytes }: Edit & { readonly type: "write" }): Generator<{ at: number; bytes: Buffer }> {
  for (let from = at; from < at + bytes.length; ) {
    const to = Math.min(at + bytes.length, from - (from % sectorBytes) + sectorBytes);
    yield { at: from, bytes: bytes.subarray(from - at, to - at) };
    from = to;
  }
}
