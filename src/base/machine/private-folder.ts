/** Makes folders that only their owner may look into: for data, identities and kubeconfigs. */
import { messageOf } from "../log/errors.js";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes the folder and those above it, with mode 0700; one that is there stays as it is. Not by `recursive`, which never
 * ends where the system refuses a folder with ENOENT, as below /proc.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`cannot make the folder ${path} (${reason}): choose one that can be written to`, { cause: error });
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
