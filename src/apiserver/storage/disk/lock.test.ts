import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Clock, seededRandom, systemClock } from "../../../base/index.js";
import { type FolderLock, lockFolder } from "./lock.js";

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), "coxswain-lock-")));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** A clock that is 20 times as fast: a process that cannot answer is not waited for. */
const hurried: Clock = { ...systemClock, timer: (ms, callback) => systemClock.timer(ms / 20, callback) };

/** A process that can answer is waited for, however slow the machine is. */
const patient: Clock = { ...systemClock, timer: (ms, callback) => systemClock.timer(ms * 100, callback) };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.skipIf(process.platform === "win32")("a locked folder (by sockets: not on Windows)", () => {
  test("is refused with the holder's name, and free when it was released", async () => {
    const directory = await folder();
    const lock = await lockFolder(directory, systemClock);
    await expect(lockFolder(directory, systemClock)).rejects.toThrow(
      `the data folder ${directory} is in use by process ${process.pid} on `,
    );
    await lock.release();
    const again = await lockFolder(directory, systemClock);
    await again.release();
    expect(await readdir(directory)).toEqual([]);
  });

  test("has one holder at a time, and of those who begin at once one gets it", async () => {
    const directory = await folder();
    const random = seededRandom("lock");
    let holders = 0;
    const contend = async (patience: number): Promise<FolderLock | undefined> => {
      for (let i = 0; i < patience; i++) await turn();
      const lock = await lockFolder(directory, patient).catch(() => undefined);
      if (lock === undefined) return undefined;
      expect(++holders).toBe(1);
      for (let i = 0; i < 5; i++) await turn();
      return lock;
    };
    for (let round = 0; round < 30; round++) {
      const contenders = Array.from({ length: 6 }, () => contend(round % 3 === 0 ? 0 : random.int(12)));
      const locks = (await Promise.all(contenders)).filter((lock) => lock !== undefined);
      expect(locks.length).toBe(1);
      holders = 0;
      await locks[0]?.release();
    }
    expect(await readdir(directory)).toEqual([]);
  });

  test("may lie deeper than a socket's path is long", async () => {
    const directory = join(await folder(), "a".repeat(100), "b".repeat(100));
    await mkdir(directory, { recursive: true });
    const lock = await lockFolder(directory, systemClock);
    await expect(lockFolder(directory, systemClock)).rejects.toThrow("is in use by process");
    await lock.release();
  });

  test("is free when its holder's socket was left behind, and keeps nothing of it", async () => {
    const directory = await folder();
    const dead = createServer().listen({ path: join(directory, "lock.000000000000") });
    await once(dead, "listening");
    await rm(join(directory, "lock.000000000000"));
    dead.close();
    spawnSync(process.execPath, [
      "-e",
      `require("net").createServer().listen(${JSON.stringify(join(directory, "lock.00000000000a"))}, () => process.kill(process.pid, "SIGKILL"))`,
    ]);
    expect(await readdir(directory)).toEqual(["lock.00000000000a"]);
    const lock = await lockFolder(directory, systemClock);
    expect((await readdir(directory)).length).toBe(1);
    await lock.release();
  });
});

const dist = join(process.cwd(), "dist/apiserver/index.js");
const program = `
import { openDiskStore } from ${JSON.stringify(pathToFileURL(dist).href)};
const log = { debug() {}, info() {}, warn() {}, error() {}, enabled: () => false, child: () => log };
const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => new Promise(() => {}), timer: () => ({ [Symbol.dispose]() {} }) };
await openDiskStore({ directory: process.argv[1], clock, log });
setInterval(() => {}, 1000);
console.log("open");
`;

const apart = ["-Urpf", "--mount-proc", "--kill-child"];
const canUnshare = spawnSync("unshare", [...apart, "true"]).status === 0;

/** A process that has the folder open; before it, the program that starts it elsewhere. */
async function holderOf(directory: string, before: readonly string[] = []): Promise<ChildProcess> {
  const [command, ...rest] = [...before, process.execPath, "--input-type=module", "-e", program, directory];
  const child = spawn(command as string, rest, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, "data"),
    once(child, "exit").then(() => {
      throw new Error("the holder ended");
    }),
  ]);
  return child;
}

describe.skipIf(!existsSync(dist) || process.platform === "win32")(
  "a folder that another process has locked (skipped until there is a build in dist, and on Windows)",
  () => {
    test("is refused while that one lives or is stopped, and free when it was killed", async () => {
      const directory = await folder();
      const child = await holderOf(directory);
      await expect(lockFolder(directory, systemClock)).rejects.toThrow(`is in use by process ${child.pid} on `);
      child.kill("SIGSTOP");
      await expect(lockFolder(directory, hurried)).rejects.toThrow("is in use by a process that does not answer");
      child.kill("SIGKILL");
      await once(child, "exit");
      const lock = await lockFolder(directory, systemClock);
      await lock.release();
    });

    test.skipIf(!canUnshare)(
      "is refused in other namespaces of processes too (skipped where unshare may not make them)",
      async () => {
        const directory = await folder();
        const child = await holderOf(directory, ["unshare", ...apart]);
        await expect(lockFolder(directory, systemClock)).rejects.toThrow("is in use by process 1 on ");
        await expect(holderOf(directory, ["unshare", ...apart])).rejects.toThrow("the holder ended");
        child.kill("SIGKILL");
        await once(child, "exit");
        const lock = await lockFolder(directory, systemClock);
        await lock.release();
      },
    );
  },
);
