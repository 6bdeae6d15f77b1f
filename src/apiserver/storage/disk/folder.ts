/** The files of a data folder, with rules about the data that survives a power loss. Tests replace it by a disk that forgets. */
import { lookup } from "../../../base/members.js";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, syncFolder } from "../../../base/index.js";

/**
 * Rules:
 * 1. Bytes written to a file survive power loss once `sync` of that file has resolved. Before that any part of them
 *    may, in any order.
 * 2. The name of a file survives once `sync` of the folder has resolved; so do renames and removals. A rename is never
 *    half done.
 */
export interface DataFolder {
  names(): Promise<readonly string[]>;
  /** Creates an empty file; an existing one is emptied. */
  create(name: string): Promise<DataFile>;
  open(name: string): Promise<DataFile>;
  rename(from: string, to: string): Promise<void>;
  /** Does nothing if the file does not exist. */
  remove(name: string): Promise<void>;
  sync(): Promise<void>;
}

export interface DataFile {
  size(): Promise<number>;
  /** Fills the buffer from the position on. Gives the number of bytes read; fewer than requested only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all bytes, or rejects. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A file operation failed. The message names the operation, the file and the reason in words; `cause` is the system's error. */
export class FolderError extends Error {
  override readonly name = "FolderError";
}

const reasons: Readonly<Record<string, string>> = lookup({
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "this user may not do that",
  EPERM: "this user may not do that",
  ENOTDIR: "there is a file where a folder should be",
  EISDIR: "there is a folder where a file should be",
  ENOENT: "it is not there",
  EIO: "the disk reports an error",
  EMFILE: "too many files are open",
});

/** A system error in words, followed by its own message. */
export function inWords(doing: string, cause: unknown): FolderError {
  const code = String((cause as NodeJS.ErrnoException).code);
  const message = messageOf(cause);
  const reason = Object.hasOwn(reasons, code) ? `${reasons[code]} (${message})` : message;
  return new FolderError(`cannot ${doing}: ${reason}`, { cause });
}

export function folderAt(directory: string): DataFolder {
  const at = (name: string): string => join(directory, name);
  const attempt = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw inWords(doing, error);
    }
  };
  return {
    names: () => attempt(`read the folder ${directory}`, () => readdir(directory)),
    create: (name) => attempt(`make ${at(name)}`, async () => fileOf(await open(at(name), "w+", 0o600), at(name))),
    open: (name) => attempt(`open ${at(name)}`, async () => fileOf(await open(at(name), "r+"), at(name))),
    rename: (from, to) => attempt(`make ${at(to)}`, () => rename(at(from), at(to))),
    remove: (name) => attempt(`remove ${at(name)}`, () => rm(at(name), { force: true })),
    sync: () => attempt(`sync the folder ${directory}`, () => syncFolder(directory)),
  };
}

function fileOf(handle: FileHandle, path: string): DataFile {
  const attempt = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw inWords(`${doing} ${path}`, error);
    }
  };
  return {
    size: () => attempt("look at", async () => (await handle.stat()).size),
    read: (into, position) =>
      attempt("read", async () => {
        let filled = 0;
        while (filled < into.length) {
          const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return filled;
      }),
    write: (bytes, position) =>
      attempt("write to", async () => {
        for (let written = 0; written < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
          written += bytesWritten;
        }
      }),
    truncate: (length) => attempt("cut", () => handle.truncate(length)),
    sync: () => attempt("sync", () => handle.datasync()),
    close: () => handle.close(),
  };
}
