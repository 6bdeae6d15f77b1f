/** The names in a data folder, and the headers of its files. */
import { randomBytes } from "node:crypto";
import type { DataFile, DataFolder } from "./folder.js";
import { type FrameForm, framesOf, framesOfForm1 } from "./frame.js";

/** `log-<first revision it may hold>` and `snapshot-<revision it was taken at>`, with enough digits to sort by name. */
export type FileKind = "log" | "snapshot";

const digits = 16;

export function fileName(kind: FileKind, revision: number): string {
  return `${kind}-${String(revision).padStart(digits, "0")}`;
}

export interface NamedFile {
  readonly name: string;
  readonly kind: FileKind;
  readonly revision: number;
}

/** Sorted by revision; files with other names are left alone. */
export function dataFiles(names: readonly string[]): readonly NamedFile[] {
  const found: NamedFile[] = [];
  for (const name of names) {
    const match = /^(log|snapshot)-(\d{16})$/.exec(name);
    if (match) found.push({ name, kind: match[1] as FileKind, revision: Number(match[2]) });
  }
  return found.toSorted((a, b) => a.revision - b.revision);
}

/** The name of a file until all of it is on disk. */
export const draftOf = (name: string): string => `${name}.tmp`;

export const isDraft = (name: string): boolean => name.endsWith(".tmp");

/** Renames the draft, durably. */
export async function putInPlace(folder: DataFolder, name: string): Promise<void> {
  await folder.rename(draftOf(name), name);
  await folder.sync();
}

/**
 * The first bytes of a file: its kind and the version of its form. In the second form, eight random bytes that identify
 * it follow.
 */
const magics = {
  log: { 1: "coxlog1\n", 2: "coxlog2\n" },
  snapshot: { 1: "coxsnp1\n", 2: "coxsnp2\n" },
} as const;

const magicBytes = 8;
const idBytes = 8;

export interface Header {
  readonly form: 1 | 2;
  /** Hexadecimal; "" in the first form. */
  readonly id: string;
  /** The length of the header, after which the first frame begins. */
  readonly bytes: number;
  readonly frames: FrameForm;
}

export function newHeader(kind: FileKind): Header & { readonly encoded: Buffer } {
  const id = randomBytes(idBytes);
  const encoded = Buffer.concat([Buffer.from(magics[kind][2]), id]);
  return { form: 2, id: id.toString("hex"), bytes: encoded.length, frames: framesOf(id), encoded };
}

/** Undefined if the file does not begin as one of ours. Throws if a later version of Coxswain has written it. */
export async function readHeader(file: DataFile, { kind, name }: NamedFile): Promise<Header | undefined> {
  const start = Buffer.alloc(magicBytes + idBytes);
  const read = await file.read(start, 0);
  const magic = start.toString("latin1", 0, magicBytes);
  if (magic === magics[kind][1]) return { form: 1, id: "", bytes: magicBytes, frames: framesOfForm1 };
  if (magic === magics[kind][2] && read === start.length) {
    const id = start.subarray(magicBytes);
    return { form: 2, id: id.toString("hex"), bytes: start.length, frames: framesOf(id) };
  }
  const [, begins, form] = /^(cox...)(\d+)\n/.exec(magic) ?? [];
  if (begins !== magics[kind][2].slice(0, 6) || form === "1" || form === "2") return undefined;
  throw new Error(
    `${name} was written by another version of Coxswain (form ${form}, this one reads 1 and 2): start that version, or use another data folder; nothing was changed`,
  );
}

/** The advice in errors about a lost or damaged file; following it loses no more data. */
export const restore =
  "put back the whole data folder from one copy, or start with another folder; nothing was changed";
