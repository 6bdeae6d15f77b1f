/** Folders and files that only their owner may read: for data, identities and kubeconfigs. */
import { randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../log/errors.js";

/**
 * Creates the folder and its parents with mode 0700; an existing folder stays as it is. Does not use `recursive`, which
 * never ends where the system refuses a folder with ENOENT, as below /proc.
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
    // another process may have created it in between
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
/** The sticky bit of a folder that is shared on purpose, such as /tmp. */
const isShared = 0o1000;

/**
 * Takes away the rights of other users from a folder with only our files; gives the previous mode if it was changed. A
 * folder with other files is left alone, and refused if other users may write there.
 */
export async function closeFolder(path: string, isOurs: (name: string) => boolean): Promise<string | undefined> {
  // Windows has no modes
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

/** Takes away the rights of other users from a file; gives the previous mode if it was changed. */
export async function closeFile(path: string): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const { mode } = await stat(path);
  if ((mode & othersMayAnything) === 0) return undefined;
  await chmod(path, 0o600);
  return (mode & 0o7777).toString(8);
}

/** Writes a file for its owner alone. It gets its name only when it is completely on disk, and replaces a file of that name. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await throughDraft(path, text, (draft) => rename(draft, path));
}

/** As `writePrivateFile`, but gives false and changes nothing if the file exists. */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  return throughDraft(path, text, async (draft) => {
    try {
      await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      // some file systems have no hard links
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

/** Makes creations, renames and removals in the folder survive power loss. Windows cannot do that, and needs no such step. */
export async function syncFolder(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
