/** Rebuilds the state from a data folder and its manifest: the snapshot, and then the log. */
import type { Logger } from "../../../base/index.js";
import { Versions } from "../versions.js";
import { fileName, readHeader, restore } from "./files.js";
import type { DataFile, DataFolder } from "./folder.js";
import { Frames } from "./frame.js";
import type { Manifest, SegmentEntry } from "./manifest.js";
import { decodeBatch, RecordError, type RecordedTransaction, RecordTurns } from "./record.js";
import { readSnapshot } from "./snapshot.js";

export interface Replayed {
  readonly state: Versions;
  /** The length of the sound part of the last segment. */
  readonly size: number;
}

interface ReplayOptions {
  readonly freeze: boolean;
  readonly log: Logger;
}

/** All listed files must exist. Throws, with the place, if a file is not as it was written. */
export async function replay(
  folder: DataFolder,
  { snapshot, segments }: Manifest,
  { freeze, log }: ReplayOptions,
): Promise<Replayed> {
  const state = new Versions({ revision: snapshot?.revision ?? 0, freeze });
  if (snapshot !== undefined) {
    for await (const recorded of readSnapshot(folder, snapshot)) state.restore(recorded);
  }
  let size = 0;
  for (const [i, segment] of segments.entries()) {
    const name = fileName("log", segment.revision);
    const file = await folder.open(name);
    try {
      const last = await replaySegment(file, state, { name, segment, log });
      size = last.size;
      const next = segments[i + 1];
      if (next !== undefined && last.revision !== next.revision - 1) {
        throw new Error(
          `${name} ends with revision ${last.revision}, but ${fileName("log", next.revision)} follows: ${restore}`,
        );
      }
    } finally {
      await file.close();
    }
  }
  return { state, size };
}

interface SegmentOptions {
  readonly name: string;
  readonly segment: SegmentEntry;
  readonly log: Logger;
}

/**
 * Gives a segment's last revision and the length of its sound part. Only the growing segment may have a torn end; other
 * damage throws.
 */
async function replaySegment(
  file: DataFile,
  state: Versions,
  { name, segment, log }: SegmentOptions,
): Promise<{ readonly revision: number; readonly size: number }> {
  const header = await readHeader(file, { kind: "log", name, revision: segment.revision });
  const length = await file.size();
  if (header === undefined) {
    throw new Error(`${name} ${length === 0 ? "is empty" : "does not begin as a log of Coxswain"}: ${restore}`);
  }
  if (header.id !== segment.id) throw new Error(`${name} is not the file that belongs here: ${restore}`);
  if (segment.bytes !== undefined && segment.bytes !== length) {
    throw new Error(`${name} has ${length} bytes and had ${segment.bytes}: ${restore}`);
  }
  const frames = new Frames(file, { form: header.frames, at: header.bytes, end: length });
  const turns = new RecordTurns();
  let revision = segment.revision - 1;
  for (;;) {
    const { at } = frames;
    const payload = await frames.next();
    if (payload === undefined) break;
    try {
      for (const transaction of decodeBatch(payload)) {
        if (transaction.revision <= revision) throw new RecordError("its revisions do not rise");
        ({ revision } = transaction);
        redo(state, transaction);
        if (turns.passed(sizeOf(transaction))) await turns.next();
      }
    } catch (error) {
      if (error instanceof RecordError) throw damaged(name, at, error.message);
      throw error;
    }
  }
  const size = frames.at;
  if (size === length) return { revision, size };
  if (segment.bytes !== undefined || (await frames.hasMore())) {
    throw damaged(name, size, "there are sound records behind it, or were");
  }
  log.warn("the torn end of the log was cut off", { file: name, at: size, bytes: length - size });
  return { revision, size };
}

const damaged = (name: string, at: number, why: string): Error =>
  new Error(`${name} is damaged at byte ${at} (${why}): ${restore}`);

function sizeOf({ changes }: RecordedTransaction): number {
  return changes.reduce((sum, change) => sum + (change.type === "put" ? change.recorded.bytes.length : 0), 0);
}

function redo(state: Versions, { revision, changes }: RecordedTransaction): void {
  // the snapshot already has this transaction
  if (revision <= state.revision) return;
  for (const change of changes) state.redo(change, revision);
}
