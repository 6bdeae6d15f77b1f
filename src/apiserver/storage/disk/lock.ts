/** One process at a time: a file that says who holds a data folder. A holder that died is recognised and replaced. */
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";

interface Holder {
  readonly pid: number;
  /** When that process began, as the system counts; "" where that cannot be known. */
  readonly started: string;
}

export interface FolderLock {
  release(): Promise<void>;
}

export async function lockFolder(directory: string): Promise<FolderLock> {
  const path = join(directory, "lock");
  const own: Holder = { pid: process.pid, started: startOf(process.pid) };
  const draft = join(directory, `lock.${randomUUID()}`);
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    for (;;) {
      try {
        // a link is made by one process only, and never half
        await link(draft, path);
        return { release: () => releaseIfOwn(path, own) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = await holderOf(path);
      if (holder !== undefined && isAlive(holder)) {
        throw new Error(`the data folder ${directory} is in use by process ${holder.pid}`);
      }
      await removeStale(path, holder);
    }
  } finally {
    await unlink(draft).catch(() => {});
  }
}

async function releaseIfOwn(path: string, own: Holder): Promise<void> {
  const holder = await holderOf(path);
  if (holder?.pid === own.pid && holder.started === own.started) await unlink(path).catch(() => {});
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

/** Moves the file aside before removing it, and puts it back if it turns out to be somebody else's by now. */
async function removeStale(path: string, judged: Holder | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await holderOf(aside);
  if (moved !== undefined && (moved.pid !== judged?.pid || moved.started !== judged.started)) {
    await link(aside, path).catch(() => {});
  }
  await unlink(aside).catch(() => {});
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but is not ours
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  // process numbers come again; the time of birth does not
  return started === startOf(pid);
}

function startOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return `${boot} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return "";
  }
}
