/** The append log: batches are on disk before they are acknowledged; new segments and snapshots follow as it grows. */
import { type Logger, messageOf } from "../../../base/index.js";
import type { Journal, Transaction } from "../journal.js";
import type { Pinned } from "../versions.js";
import { dataFiles, draftOf, fileName, newHeader, putInPlace } from "./files.js";
import type { DataFile, DataFolder } from "./folder.js";
import { sealFrame } from "./frame.js";
import { type Manifest, type SegmentEntry, UncertainError, writeManifest } from "./manifest.js";
import { encodeBatch } from "./record.js";
import { writeSnapshot } from "./snapshot.js";

export interface DiskJournalOptions {
  readonly folder: DataFolder;
  readonly log: Logger;
  /** The manifest on disk. */
  readonly manifest: Manifest;
  /** The last of the manifest's segments, and the length of its sound part. */
  readonly segment: { readonly file: DataFile; readonly size: number };
  /** A segment that has grown beyond this is followed by a new one. */
  readonly segmentBytes: number;
  /** A batch is written in frames of about this size. */
  readonly frameBytes?: number;
  /** All objects at a settled revision, for a snapshot. */
  pin(revision: number): Pinned;
  /** Called when everything is closed. */
  release?(): Promise<void>;
}

const defaultFrameBytes = 1024 * 1024;

/**
 * Invariants:
 * 1. The segment's first `#size` bytes are whole frames that are on disk; bytes beyond are removed before anything else
 *    is written.
 * 2. Each frame is on disk before the next is written, so that a crash can only tear the last one.
 * 3. `#manifest` is the one on disk, and names the segment that is written to; a file is removed only when the manifest
 *    no longer names it.
 * 4. While a snapshot is being written the segments stay the same.
 */
export class DiskJournal implements Journal {
  readonly #options: DiskJournalOptions;
  readonly #frameBytes: number;
  readonly #stopping = new AbortController();
  #manifest: Manifest;
  #file: DataFile;
  #size: number;
  /** The reason why nothing can be written any more; only a restart helps. */
  #broken: Error | undefined;
  /** True if the segments before the current one are as long as the snapshot, so that a new one is due. */
  #snapshotDue = false;
  #snapshot: Promise<void> | undefined;

  constructor(options: DiskJournalOptions) {
    this.#options = options;
    this.#frameBytes = options.frameBytes ?? defaultFrameBytes;
    this.#manifest = options.manifest;
    this.#file = options.segment.file;
    this.#size = options.segment.size;
  }

  get broken(): Error | undefined {
    return this.#broken;
  }

  async append(batch: readonly Transaction[]): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const id = Buffer.from((this.#manifest.segments.at(-1) as SegmentEntry).id, "hex");
    let size = this.#size;
    try {
      for (const part of portions(batch, this.#frameBytes)) {
        const frame = encodeBatch(part);
        sealFrame(frame, id, size);
        await this.#file.write(frame, size);
        await this.#file.sync();
        size += frame.length;
      }
    } catch (error) {
      await this.#cutBack();
      throw error;
    }
    this.#size = size;
    if (this.#size > this.#options.segmentBytes) await this.#rotate((batch.at(-1) as Transaction).revision);
  }

  settled(revision: number): void {
    if (!this.#snapshotDue || this.#snapshot !== undefined || this.#broken !== undefined) return;
    this.#snapshotDue = false;
    this.#snapshot = this.#replaceBySnapshot(revision).finally(() => {
      this.#snapshot = undefined;
    });
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error("the store is being closed"));
    await this.#snapshot;
    await this.#file.close();
    await this.#options.release?.();
  }

  /** Removes a failed batch, so that nothing of it is found at the next start. */
  async #cutBack(): Promise<void> {
    try {
      await this.#file.truncate(this.#size);
      await this.#file.sync();
    } catch (cause) {
      this.#break("the log could not be repaired after a failed write", cause);
    }
  }

  #break(what: string, cause: unknown): void {
    this.#broken = new Error(`${what}: ${messageOf(cause)}; nothing more is stored until the server is started again`, {
      cause,
    });
    this.#options.log.error("the log is closed for writing until the next start", { what, error: cause });
  }

  /** Failing to make a new segment cannot fail a batch that is on disk already: the old segment is then continued. */
  async #rotate(revision: number): Promise<void> {
    if (this.#snapshot !== undefined) return;
    const { folder, log } = this.#options;
    const sealed = this.#manifest.segments.with(-1, {
      ...(this.#manifest.segments.at(-1) as SegmentEntry),
      bytes: this.#size,
    });
    let next: NewSegment | undefined;
    try {
      next = await createSegment(folder, revision + 1);
      const manifest = { ...this.#manifest, segments: [...sealed, next.entry] };
      await writeManifest(folder, manifest);
      this.#manifest = manifest;
    } catch (error) {
      await next?.file.close();
      if (error instanceof UncertainError) this.#break("the list of the folder's files could not be written", error);
      else log.error("a new log segment could not be made", { error });
      return;
    }
    const old = this.#file;
    this.#file = next.file;
    this.#size = next.size;
    const logged = sealed.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
    this.#snapshotDue = logged >= (this.#manifest.snapshot?.bytes ?? 0);
    await old.close();
  }

  /** Never rejects: the log is complete without a snapshot, and the next rotation tries again. */
  async #replaceBySnapshot(revision: number): Promise<void> {
    const { folder, log } = this.#options;
    using objects = this.#options.pin(revision);
    try {
      const snapshot = await writeSnapshot(folder, objects, this.#stopping.signal);
      const manifest = { snapshot, segments: segmentsAfter(this.#manifest.segments, revision) };
      await writeManifest(folder, manifest);
      this.#manifest = manifest;
      await removeUnlisted(folder, manifest);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof UncertainError) this.#break("the list of the folder's files could not be written", error);
      else log.error("a snapshot could not be written", { error });
    }
  }
}

/** The transactions in order, in portions of at least one transaction and about `bytes` bytes. */
function* portions(batch: readonly Transaction[], bytes: number): Generator<readonly Transaction[]> {
  let start = 0;
  let size = 0;
  for (const [i, { events }] of batch.entries()) {
    for (const { current } of events) size += current?.size ?? 0;
    if (size < bytes && i < batch.length - 1) continue;
    yield batch.slice(start, i + 1);
    start = i + 1;
    size = 0;
  }
}

/** The segments that may hold revisions after the given one: all but those whose successor begins right after it or earlier. */
export function segmentsAfter<T extends { readonly revision: number }>(
  segments: readonly T[],
  revision: number,
): readonly T[] {
  return segments.filter((_, i) => {
    const next = segments[i + 1];
    return next === undefined || next.revision > revision + 1;
  });
}

/** Removes the data files that the manifest does not list, such as files that only an older manifest listed. */
export async function removeUnlisted(folder: DataFolder, { snapshot, segments }: Manifest): Promise<void> {
  const listed = new Set(segments.map(({ revision }) => fileName("log", revision)));
  if (snapshot !== undefined) listed.add(fileName("snapshot", snapshot.revision));
  const unlisted = dataFiles(await folder.names()).filter(({ name }) => !listed.has(name));
  for (const { name } of unlisted) await folder.remove(name);
  if (unlisted.length > 0) await folder.sync();
}

export interface NewSegment {
  readonly entry: SegmentEntry;
  readonly file: DataFile;
  readonly size: number;
}

/** An empty segment, on disk under its name. */
export async function createSegment(folder: DataFolder, revision: number): Promise<NewSegment> {
  const name = fileName("log", revision);
  const header = newHeader("log");
  try {
    const draft = await folder.create(draftOf(name));
    try {
      await draft.write(header.encoded, 0);
      await draft.sync();
    } finally {
      await draft.close();
    }
    await putInPlace(folder, name);
  } catch (error) {
    await folder.remove(draftOf(name)).catch(() => {});
    throw error;
  }
  const file = await folder.open(name);
  return { entry: { revision, id: header.id }, file, size: header.bytes };
}
