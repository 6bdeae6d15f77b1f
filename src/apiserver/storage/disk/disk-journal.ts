/** The append log: batches on disk before they are acknowledged, new segments and snapshots as it grows. Used by open.ts. */
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../../base/index.js";
import type { Journal, Transaction } from "../journal.js";
import type { Stored } from "../storage.js";
import { dataFiles, fileName, logMagic, syncFolder } from "./files.js";
import { encodeFrame } from "./frame.js";
import type { FolderLock } from "./lock.js";
import { encodeBatch } from "./record.js";
import { writeSnapshot } from "./snapshot.js";

/** What the journal needs of a file; tests put a disk behind it that fills up. */
export type LogFile = Pick<FileHandle, "write" | "datasync" | "truncate" | "close">;

export interface DiskJournalOptions {
  readonly directory: string;
  readonly lock: FolderLock;
  readonly log: Logger;
  /** The segment to go on with, and how much of it is sound. */
  readonly segment: { readonly file: LogFile; readonly size: number };
  /** A segment that has grown beyond this is followed by a new one, and a snapshot makes the old ones superfluous. */
  readonly segmentBytes: number;
  /** All objects at a settled revision. */
  objectsAt(revision: number): readonly Stored[];
  openSegment?(path: string): Promise<LogFile>;
}

/**
 * 1. The segment's first `#size` bytes are whole frames that are on disk; what lies beyond is removed before anything else is written.
 * 2. One frame holds one batch, so that a crash can only tear the last frame.
 * 3. Segments before the current one are removed only when a snapshot that covers them is on disk.
 */
export class DiskJournal implements Journal {
  readonly #options: DiskJournalOptions;
  #file: LogFile;
  #size: number;
  /** Why nothing can be written any more; only a restart helps. */
  #broken: Error | undefined;
  /** The current segment is new, and a snapshot of what came before it is due. */
  #snapshotDue = false;
  #snapshot: Promise<void> | undefined;

  constructor(options: DiskJournalOptions) {
    this.#options = options;
    this.#file = options.segment.file;
    this.#size = options.segment.size;
  }

  async append(batch: readonly Transaction[]): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const frame = encodeFrame(encodeBatch(batch));
    try {
      for (let written = 0; written < frame.length; ) {
        const { bytesWritten } = await this.#file.write(frame, written, frame.length - written, this.#size + written);
        written += bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      await this.#cutBack();
      throw error;
    }
    this.#size += frame.length;
    if (this.#size > this.#options.segmentBytes) await this.#rotate((batch.at(-1) as Transaction).revision);
  }

  settled(revision: number): void {
    if (!this.#snapshotDue || this.#snapshot !== undefined) return;
    this.#snapshotDue = false;
    const { directory, log } = this.#options;
    const objects = this.#options.objectsAt(revision);
    this.#snapshot = (async () => {
      try {
        await writeSnapshot(directory, revision, objects);
        await removeOlder(directory, revision);
      } catch (error) {
        // the log is complete without it; the next rotation tries again
        log.error("a snapshot could not be written", { error });
      } finally {
        this.#snapshot = undefined;
      }
    })();
  }

  async close(): Promise<void> {
    await this.#snapshot;
    await this.#file.close();
    await this.#options.lock.release();
  }

  /** Nothing of a batch that failed may be found at the next start. */
  async #cutBack(): Promise<void> {
    try {
      await this.#file.truncate(this.#size);
    } catch (cause) {
      this.#broken = new Error(`the log could not be repaired after a failed write: ${String(cause)}`, { cause });
      this.#options.log.error("the log is closed for writing until the next start", { error: cause });
    }
  }

  /** A new segment cannot fail a batch that is on disk already: if it cannot be made, the old one goes on. */
  async #rotate(revision: number): Promise<void> {
    if (this.#snapshot !== undefined) return;
    const { directory, openSegment = createSegment, log } = this.#options;
    try {
      const next = await openSegment(join(directory, fileName("log", revision + 1)));
      const old = this.#file;
      this.#file = next;
      this.#size = logMagic.length;
      this.#snapshotDue = true;
      await old.close();
      await syncFolder(directory);
    } catch (error) {
      log.error("a new log segment could not be made", { error });
    }
  }
}

/** An empty segment, on disk. */
export async function createSegment(path: string): Promise<LogFile> {
  const file = await open(path, "w", 0o600);
  try {
    await file.write(logMagic, 0, logMagic.length, 0);
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
  return file;
}

/** What a snapshot at the revision makes superfluous: older snapshots, and segments that end before it. */
async function removeOlder(directory: string, revision: number): Promise<void> {
  const files = await dataFiles(directory);
  const logs = files.filter(({ kind }) => kind === "log");
  for (const [i, { name }] of logs.entries()) {
    const next = logs[i + 1];
    if (next !== undefined && next.revision <= revision + 1) await rm(join(directory, name), { force: true });
  }
  for (const { kind, name, revision: taken } of files) {
    if (kind === "snapshot" && taken < revision) await rm(join(directory, name), { force: true });
  }
  await syncFolder(directory);
}
