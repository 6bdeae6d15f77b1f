/** All objects at one revision in one file: written beside the running server, and verified before it counts. */
import type { Stored } from "../contract.js";
import type { Recorded } from "../versions.js";
import { draftOf, fileName, newHeader, putInPlace, readHeader, restore } from "./files.js";
import type { DataFile, DataFolder } from "./folder.js";
import { Frames, sealFrame } from "./frame.js";
import type { SnapshotEntry } from "./manifest.js";
import { decodeEnd, decodeObjects, encodeEnd, encodeObjects, RecordError, RecordTurns } from "./record.js";

export interface SnapshotSource {
  readonly revision: number;
  /** All objects in the same order at each call, a few at a time or none; each step is short. */
  slices(): Iterable<readonly Stored[]>;
}

/** Resolves when the file is in place and verified against the source. Aborting leaves nothing behind. */
export async function writeSnapshot(
  folder: DataFolder,
  source: SnapshotSource,
  signal: AbortSignal,
): Promise<SnapshotEntry> {
  const name = fileName("snapshot", source.revision);
  const header = newHeader("snapshot");
  const id = Buffer.from(header.id, "hex");
  let bytes = 0;
  try {
    const file = await folder.create(draftOf(name));
    const append = async (frame: Buffer): Promise<void> => {
      signal.throwIfAborted();
      sealFrame(frame, id, bytes);
      await file.write(frame, bytes);
      bytes += frame.length;
    };
    try {
      await file.write(header.encoded, 0);
      bytes = header.bytes;
      let count = 0;
      for (const objects of source.slices()) {
        if (objects.length > 0) await append(encodeObjects(objects));
        else await new Promise<void>((resolve) => setImmediate(resolve));
        count += objects.length;
      }
      await append(encodeEnd(count));
      await file.sync();
      await verify(file, { source, name, bytes, signal });
    } finally {
      await file.close();
    }
    await putInPlace(folder, name);
  } catch (error) {
    await folder.remove(draftOf(name)).catch(() => {});
    throw error;
  }
  return { revision: source.revision, id: header.id, bytes };
}

interface Verification {
  readonly source: SnapshotSource;
  readonly name: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** Throws unless the objects in the file equal the objects in memory, one by one. */
async function verify(file: DataFile, { source, name, bytes, signal }: Verification): Promise<void> {
  const expected = each(source.slices());
  for await (const found of objectsIn(file, { name, bytes })) {
    signal.throwIfAborted();
    const { value } = expected.next();
    if (value === undefined || !isSame(value, found)) throw unlike(name);
  }
  if (!expected.next().done) throw unlike(name);
}

function* each(slices: Iterable<readonly Stored[]>): Generator<Stored, undefined> {
  for (const objects of slices) yield* objects;
}

const unlike = (name: string): Error =>
  new Error(`${name} does not say what was written to it: the disk or the memory of this machine is at fault`);

function isSame(a: Recorded, b: Recorded): boolean {
  return (
    a.collection === b.collection &&
    a.key === b.key &&
    a.revision === b.revision &&
    a.expiresAt === b.expiresAt &&
    Buffer.compare(a.bytes, b.bytes) === 0
  );
}

/** All objects of the file, one at a time, each good until the next is asked for. Throws where the file is damaged. */
export async function* readSnapshot(
  folder: DataFolder,
  { revision, id, bytes }: SnapshotEntry,
): AsyncGenerator<Recorded> {
  const name = fileName("snapshot", revision);
  const file = await folder.open(name);
  try {
    yield* objectsIn(file, { name, bytes, id });
  } finally {
    await file.close();
  }
}

interface SnapshotFile {
  readonly name: string;
  readonly bytes: number;
  readonly id?: string;
}

async function* objectsIn(file: DataFile, { name, bytes, id }: SnapshotFile): AsyncGenerator<Recorded> {
  const header = await readHeader(file, { kind: "snapshot", name, revision: 0 });
  if (header === undefined || (await file.size()) !== bytes) throw damaged(name, 0);
  if (id !== undefined && header.id !== id) throw new Error(`${name} is not the file that belongs here: ${restore}`);
  const frames = new Frames(file, { form: header.frames, at: header.bytes, end: bytes });
  const turns = new RecordTurns();
  let count = 0;
  for (;;) {
    const { at } = frames;
    const payload = await frames.next();
    if (payload === undefined) throw damaged(name, at);
    const expected = decodeEnd(payload);
    if (expected !== undefined) {
      if (expected !== count || frames.at !== bytes) throw damaged(name, at);
      return;
    }
    try {
      for (const recorded of decodeObjects(payload)) {
        count++;
        yield recorded;
        if (turns.passed(recorded.bytes.length)) await turns.next();
      }
    } catch (error) {
      if (error instanceof RecordError) throw damaged(name, at, error);
      throw error;
    }
  }
}

function damaged(name: string, at: number, cause?: Error): Error {
  const why = cause === undefined ? "" : ` (${cause.message})`;
  return new Error(`${name} is damaged at byte ${at}${why}: ${restore}`, { cause });
}
