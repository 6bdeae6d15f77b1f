/** Names in a data folder, and the few operations on files that must reach the disk. Used by journal and recovery. */
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** `log-<first revision it may hold>` and `snapshot-<revision it was taken at>`, with digits enough to sort by name. */
export type FileKind = "log" | "snapshot";

const digits = 16;

export function fileName(kind: FileKind, revision: number): string {
  return `${kind}-${String(revision).padStart(digits, "0")}`;
}

export interface DataFile {
  readonly name: string;
  readonly kind: FileKind;
  readonly revision: number;
}

/** Sorted by revision; what has another name is left alone. */
export async function dataFiles(directory: string): Promise<readonly DataFile[]> {
  const found: DataFile[] = [];
  for (const name of await readdir(directory)) {
    const match = /^(log|snapshot)-(\d{16})$/.exec(name);
    if (match) found.push({ name, kind: match[1] as FileKind, revision: Number(match[2]) });
  }
  return found.toSorted((a, b) => a.revision - b.revision);
}

/** Snapshots that were never finished. */
export async function removeDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.endsWith(".tmp")) await rm(join(directory, name), { force: true });
}

/** Makes creations, renames and removals in the folder last. */
export async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Every file begins with what it is and the version of its form. */
export const logMagic: Buffer = Buffer.from("coxlog1\n");
export const snapshotMagic: Buffer = Buffer.from("coxsnp1\n");

/** Throws if the file has the form of another version. What is no such file at all is for the caller to judge. */
export function refuseOtherVersion(name: string, file: Buffer, magic: Buffer): void {
  const [, ours = ""] = /^(cox...)\d+\n/.exec(magic.toString("latin1")) ?? [];
  const [, kind, form] = /^(cox...)(\d+)\n/.exec(file.toString("latin1", 0, 16)) ?? [];
  if (kind !== ours || file.subarray(0, magic.length).equals(magic)) return;
  throw new Error(
    `${name} was written by another version of Coxswain (form ${form}, this one reads 1): start that version, or use another data folder; nothing was changed`,
  );
}
