/** Opens a data folder as a Store: locks it, reads manifest and snapshot, replays the log, cuts off a torn end. */
import { defined } from "../../../base/defined.js";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, closeFile, closeFolder, type Logger, makePrivateFolder, messageOf } from "../../../base/index.js";
import type { Store, Stored } from "../contract.js";
import { MvccStore } from "../mvcc-store.js";
import { adopt } from "./adopt.js";
import { createSegment, DiskJournal, removeUnlisted } from "./disk-journal.js";
import { dataFiles, fileName, isDraft, readHeader, restore } from "./files.js";
import { type DataFile, type DataFolder, folderAt, inWords } from "./folder.js";
import { lockFolder } from "./lock.js";
import { type Manifest, readManifest, writeManifest } from "./manifest.js";
import { refuseOldHolder } from "./old-lock.js";
import { replay } from "./replay.js";
import type { Versions } from "../versions.js";

interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly segmentBytes?: number;
  readonly freeze?: boolean;
  /** Whether a version is small enough to be stored. */
  fits?(stored: Stored): boolean;
}

export interface DiskStoreOptions extends Surroundings {
  readonly directory: string;
}

const defaultSegmentBytes = 64 * 1024 * 1024;

export async function openDiskStore(options: DiskStoreOptions): Promise<Store> {
  const { directory, log } = options;
  await makePrivateFolder(directory);
  const lock = await lockFolder(directory, options.clock).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === undefined ? error : unusable(directory, error);
  });
  try {
    await closeToOthers(directory, log);
    await refuseOldHolder(directory);
    return await openStoreIn(folderAt(directory), { ...options, release: () => lock.release() }).catch(
      (cause: unknown) => {
        throw new Error(`the data folder ${directory} cannot be opened: ${messageOf(cause)}`, { cause });
      },
    );
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const unusable = (directory: string, error: unknown): Error =>
  new Error(`${inWords(`use the data folder ${directory}`, error).message}: choose one that can be written to`, {
    cause: error,
  });

const isOurs = (name: string): boolean => /^(log-|snapshot-|manifest|lock|pki$)/.test(name);

/** Takes away the rights of others: the folder holds secrets. */
async function closeToOthers(directory: string, log: Logger): Promise<void> {
  const folderBefore = await closeFolder(directory, isOurs);
  if (folderBefore !== undefined) {
    log.warn("others could look into the data folder; now its owner alone can", { directory, mode: folderBefore });
  }
  for (const { name } of dataFiles(await readdir(directory))) {
    const before = await closeFile(join(directory, name));
    if (before !== undefined)
      log.warn("others could read a file; now its owner alone can", { file: name, mode: before });
  }
}

export interface FolderStoreOptions extends Surroundings {
  readonly frameBytes?: number;
  /** Called when the store is closed. */
  release?(): Promise<void>;
}

/** The folder must be locked by this process. */
export async function openStoreIn(folder: DataFolder, options: FolderStoreOptions): Promise<Store> {
  const { clock, log, freeze = false, segmentBytes = defaultSegmentBytes, frameBytes, release, fits } = options;
  // a process that was killed may have renamed a file whose new name is not on disk yet
  await folder.sync();
  const found = await readManifest(folder);
  const listed = found ?? (await adopt(folder, log));
  await refuseGaps(folder, listed);
  const { state, size } = await replay(folder, listed, { freeze, log });
  const expiring = await expiringIn(state);
  const { manifest, segment } = await continued(folder, {
    listed,
    isListed: found !== undefined,
    size,
    revision: state.revision,
  });
  try {
    for (const name of await folder.names()) if (isDraft(name)) await folder.remove(name);
    await removeUnlisted(folder, manifest);
  } catch (error) {
    await segment.file.close();
    throw error;
  }
  const journal = new DiskJournal({
    folder,
    log,
    manifest,
    segment,
    segmentBytes,
    pin: (revision) => state.pin(revision),
    ...defined({ frameBytes, release }),
  });
  return new MvccStore({ clock, journal, state, expiring, freeze, ...defined({ fits }) });
}

async function expiringIn(state: Versions): Promise<readonly Stored[]> {
  const found: Stored[] = [];
  using objects = state.pin(state.revision);
  for (const slice of objects.slices()) {
    for (const stored of slice) if (stored.expiresAt !== undefined) found.push(stored);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return found;
}

/** Requires that every listed file exists, and that no unlisted file holds data beyond the listed ones. */
async function refuseGaps(folder: DataFolder, { snapshot, segments }: Manifest): Promise<void> {
  const files = dataFiles(await folder.names());
  const listed = new Set(segments.map(({ revision }) => fileName("log", revision)));
  if (snapshot !== undefined) listed.add(fileName("snapshot", snapshot.revision));
  for (const { name } of files) listed.delete(name);
  const [missing] = listed;
  if (missing !== undefined) throw new Error(`${missing} is missing, and what was stored in it: ${restore}`);
  const newest = segments.at(-1)?.revision ?? 0;
  for (const file of files) {
    if (file.kind === "log" && file.revision > newest && (await holdsFrames(folder, file.name))) {
      throw new Error(
        `${file.name} is newer than the list of the folder's files, as if that were of an older copy: ${restore}`,
      );
    }
  }
}

/** False for a segment that was created and never listed. */
async function holdsFrames(folder: DataFolder, name: string): Promise<boolean> {
  const file = await folder.open(name);
  try {
    const header = await readHeader(file, { kind: "log", name, revision: 0 });
    return (await file.size()) > (header?.bytes ?? 0);
  } finally {
    await file.close();
  }
}

interface Found {
  /** The manifest of the folder, or the files found in one without a manifest. */
  readonly listed: Manifest;
  readonly isListed: boolean;
  /** The length of the sound part of the last segment. */
  readonly size: number;
  readonly revision: number;
}

interface Continued {
  readonly manifest: Manifest;
  readonly segment: { readonly file: DataFile; readonly size: number };
}

/**
 * Gives the last segment without its torn end, to be continued; in a folder without a manifest, creates a segment and
 * the manifest.
 */
async function continued(folder: DataFolder, { listed, isListed, size, revision }: Found): Promise<Continued> {
  const last = listed.segments.at(-1);
  if (last !== undefined) {
    const file = await folder.open(fileName("log", last.revision));
    try {
      await file.truncate(size);
      await file.sync();
    } catch (error) {
      await file.close();
      throw error;
    }
    if (isListed) return { manifest: listed, segment: { file, size } };
    await file.close();
  }
  const before = last === undefined || last.revision > revision ? [] : [{ ...last, bytes: size }];
  const next = await createSegment(folder, revision + 1);
  try {
    const manifest = { ...listed, segments: [...listed.segments.slice(0, -1), ...before, next.entry] };
    await writeManifest(folder, manifest);
    return { manifest, segment: next };
  } catch (error) {
    await next.file.close();
    throw error;
  }
}
