/** Opens a data folder as a Store: lock, newest snapshot, log replayed, torn end cut off. Called by server.ts. */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type Logger, makePrivateFolder } from "../../../base/index.js";
import { deletionOf, Mvcc } from "../mvcc.js";
import type { Store } from "../storage.js";
import { MvccStore } from "../store.js";
import { createSegment, DiskJournal, type LogFile } from "./disk-journal.js";
import { type DataFile, dataFiles, fileName, logMagic, refuseOtherVersion, removeDrafts, syncFolder } from "./files.js";
import { hasFrameAfter, readFrame } from "./frame.js";
import { type FolderLock, lockFolder } from "./lock.js";
import { decodeBatch, type RecordedTransaction } from "./record.js";
import { readSnapshot } from "./snapshot.js";

export interface DiskStoreOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly segmentBytes?: number;
  readonly freeze?: boolean;
  /** For tests: the files of the log. */
  openSegment?(path: string): Promise<LogFile>;
}

const defaultSegmentBytes = 64 * 1024 * 1024;

export async function openDiskStore(options: DiskStoreOptions): Promise<Store> {
  const { directory } = options;
  await makePrivateFolder(directory);
  const lock = await lockFolder(directory, options.clock);
  try {
    return await recover(options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function recover(options: DiskStoreOptions, lock: FolderLock): Promise<Store> {
  const { directory, clock, log, segmentBytes = defaultSegmentBytes, openSegment, ...rest } = options;
  await removeDrafts(directory);
  const files = await dataFiles(directory);
  const snapshot = files.filter(({ kind }) => kind === "snapshot").at(-1);
  const revision = snapshot?.revision ?? 0;
  const state = new Mvcc({ revision, freeze: options.freeze ?? false });
  for (const stored of snapshot === undefined ? [] : await readSnapshot(directory, snapshot.name))
    state.restore(stored);
  const segments = neededSegments(files, revision);
  let size = logMagic.length;
  for (const [i, segment] of segments.entries()) {
    size = await replay(segment, state, { directory, last: i === segments.length - 1, log });
  }
  const current = segments.at(-1)?.name ?? fileName("log", revision + 1);
  const path = join(directory, current);
  const file = segments.length === 0 || size === 0 ? await createSegment(path) : await open(path, "r+");
  if (segments.length === 0) await syncFolder(directory);
  await file.truncate(Math.max(size, logMagic.length));
  await file.datasync();
  const journal = new DiskJournal({
    directory,
    lock,
    log,
    segment: {
      file: openSegment === undefined ? file : await reopened(file, path, openSegment),
      size: Math.max(size, logMagic.length),
    },
    segmentBytes,
    objectsAt: (at) => state.objectsAt(at),
    ...(openSegment === undefined ? {} : { openSegment }),
  });
  return new MvccStore({ clock, journal, state, ...rest });
}

async function reopened(
  file: LogFile,
  path: string,
  openSegment: (path: string) => Promise<LogFile>,
): Promise<LogFile> {
  await file.close();
  return openSegment(path);
}

function neededSegments(files: readonly DataFile[], revision: number): readonly DataFile[] {
  const logs = files.filter(({ kind }) => kind === "log");
  return logs.filter((_, i) => {
    const next = logs[i + 1];
    return next === undefined || next.revision > revision + 1;
  });
}

interface ReplayOptions {
  readonly directory: string;
  readonly last: boolean;
  readonly log: Logger;
}

/** Gives the length of what is sound. Only the last segment may have a torn end; anything else is damage and is not guessed at. */
async function replay({ name }: DataFile, state: Mvcc, { directory, last, log }: ReplayOptions): Promise<number> {
  const file = await readFile(join(directory, name));
  refuseOtherVersion(name, file, logMagic);
  if (!file.subarray(0, logMagic.length).equals(logMagic)) {
    // a crash while the segment was being made
    if (last && file.length <= logMagic.length) return 0;
    throw new Error(`${name} is not a log of Coxswain: use another data folder; nothing was changed`);
  }
  let at = logMagic.length;
  for (let frame = readFrame(file, at); frame !== undefined; frame = readFrame(file, at)) {
    for (const transaction of decodeBatch(frame.payload)) redo(state, transaction);
    at = frame.end;
  }
  if (at === file.length) return at;
  if (!last || hasFrameAfter(file, at)) {
    throw new Error(
      `${name} is damaged at byte ${at}, and there are sound records behind it: restore the data folder from a copy`,
    );
  }
  log.warn("the torn end of the log was cut off", { file: name, at, bytes: file.length - at });
  return at;
}

function redo(state: Mvcc, { revision, changes }: RecordedTransaction): void {
  // what the snapshot has already
  if (revision <= state.revision) return;
  for (const change of changes) {
    if (change.type === "put") {
      const { stored } = change;
      const { collection, key } = stored;
      const previous = state.get(collection, key);
      state.record({ revision, collection, key, previous, current: stored, deleted: undefined });
      continue;
    }
    const previous = state.get(change.collection, change.key);
    if (previous !== undefined) state.record(deletionOf(previous, revision));
  }
}
