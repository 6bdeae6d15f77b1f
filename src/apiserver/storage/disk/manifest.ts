/** The manifest: the files that a data folder must have. Replaced as a whole whenever that changes, read first at every start. */
import { crc32 } from "node:zlib";
import { messageOf } from "../../../base/index.js";
import { draftOf, restore } from "./files.js";
import { type DataFolder, FolderError } from "./folder.js";

export interface SnapshotEntry {
  readonly revision: number;
  /** The id in the file's header; "" for a file of the first form. */
  readonly id: string;
  readonly bytes: number;
}

export interface SegmentEntry {
  /** The first revision that it may hold. */
  readonly revision: number;
  readonly id: string;
  /** Its length; absent for the last one, which grows. */
  readonly bytes?: number;
}

/** The state is the snapshot, or nothing, followed by the segments in order. A file is listed only after all of it is on disk. */
export interface Manifest {
  readonly snapshot?: SnapshotEntry;
  readonly segments: readonly SegmentEntry[];
}

export const manifestName = "manifest";

const magic = "coxman1\n";

/** The last step failed: it is unknown which of the two manifests is on disk. */
export class UncertainError extends FolderError {}

export async function writeManifest(folder: DataFolder, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest);
  const file = await folder.create(draftOf(manifestName));
  try {
    await file.write(Buffer.from(`${magic}${text}\n${checksum(text)}\n`), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await folder.rename(draftOf(manifestName), manifestName);
  try {
    await folder.sync();
  } catch (error) {
    throw new UncertainError(messageOf(error), { cause: error });
  }
}

/** Undefined if there is none: the folder is new, or of version 0.1. */
export async function readManifest(folder: DataFolder): Promise<Manifest | undefined> {
  if (!(await folder.names()).includes(manifestName)) return undefined;
  const file = await folder.open(manifestName);
  try {
    const bytes = Buffer.alloc(await file.size());
    await file.read(bytes, 0);
    return decodeManifest(bytes.toString("utf8"));
  } finally {
    await file.close();
  }
}

function decodeManifest(content: string): Manifest {
  const [begins = "", text = "", sum, rest] = content.split("\n");
  if (/^coxman\d+$/.test(begins) && `${begins}\n` !== magic) {
    throw new Error(
      `${manifestName} was written by another version of Coxswain: start that version; nothing was changed`,
    );
  }
  if (`${begins}\n` !== magic || sum !== checksum(text) || rest !== "") {
    throw new Error(`${manifestName}, the list of the folder's files, is damaged: ${restore}`);
  }
  return JSON.parse(text) as Manifest;
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, "0");
