/** The lock of version 0.1, a file that names a process: respected, so that an upgrade never runs beside the old version. */
import { readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

interface OldHolder {
  readonly pid: number;
  /** The start time of that process in the system's count; "" if it cannot be known. */
  readonly started: string;
}

/** Throws if the process lives; otherwise removes its lock. */
export async function refuseOldHolder(directory: string): Promise<void> {
  const path = join(directory, "lock");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const holder = parse(text);
  if (holder !== undefined && isAlive(holder)) {
    throw new Error(`the data folder ${directory} is in use by process ${holder.pid}, of version 0.1`);
  }
  await rm(path, { force: true });
}

function parse(text: string): OldHolder | undefined {
  try {
    const { pid, started } = JSON.parse(text) as Partial<OldHolder>;
    return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: OldHolder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to another user
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  // process ids are reused; the start time is not
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
