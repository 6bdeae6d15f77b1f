/** Folders and files that only their owner may look into: for data, identities and kubeconfigs. */
import { randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../log/errors.js";

/**
 * Makes the folder and those above it, with mode 0700; one that is there stays as it is. Not by `recursive`, which never
 * ends where the system refuses a folder with ENOENT, as below /proc.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    throw new Error(`cannot make the folder ${path} (${messageOf(error)}): choose one that can be written to`, {
      cause: error,
    });
  }
}

async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await makeFolder(above);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // another process may have made it in between
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

const othersMayAnything = 0o077;
const othersMayWrite = 0o022;
/** Made to be shared, as /tmp is. */
const isShared = 0o1000;

/**
 * Takes the rights of other users away from a folder in which everything is ours; gives its previous mode if that was changed. A folder
 * that has other things in it is left alone, and refused if others may put files there.
 */
export async function closeFolder(path: string, isOurs: (name: string) => boolean): Promise<string | undefined> {
  // there are no modes on Windows
  if (process.platform === "win32") return undefined;
  const { mode, uid } = await stat(path);
  if ((mode & othersMayAnything) === 0) return undefined;
  const before = (mode & 0o7777).toString(8);
  const isOwn = uid === process.geteuid?.() && (mode & isShared) === 0;
  if (isOwn && (await readdir(path)).every(isOurs)) {
    await chmod(path, 0o700);
    return before;
  }
  if ((mode & othersMayWrite) === 0) return undefined;
  throw new Error(
    `others may change what is in the folder ${path} (its mode is ${before}): give a folder in it that is not there yet, or take that right away with chmod 700`,
  );
}

/** Takes the rights of other users away from a file; gives its previous mode if that was changed. */
export async function closeFile(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const { mode } = await stat(path);
  if ((mode & othersMayAnything) === 0) return undefined;
  await chmod(path, 0o600);
  return (mode & 0o7777).toString(8);
}

/** Writes a file for its owner alone; it has its name only when all of it is on disk. Another of that name is replaced. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await throughDraft(path, text, (draft) => rename(draft, path));
}

/** The same, unless there is a file of that name: false, and that one stays. */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  return throughDraft(path, text, async (draft) => {
    try {
      await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      // some file systems have no links
      await rename(draft, path);
    }
    return true;
  });
}

async function throughDraft<T>(path: string, text: string, putInPlace: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const result = await putInPlace(draft);
    await syncFolder(dirname(path));
    return result;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Creations, renames and removals in the folder survive power loss. Windows has no such thing, and needs none. */
export async function syncFolder(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
