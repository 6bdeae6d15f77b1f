import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock, seededRandom, silentLogger } from "../../../base/index.js";
import type { KubeObject } from "../../../api/index.js";
import { storageContract } from "../../../../test/contracts/storage.js";
import { ForgetfulFolder } from "../../../../test/storage/forgetful-folder.js";
import { JournalError, type Store, TooLargeError } from "../contract.js";
import { type DiskStoreOptions, openDiskStore, openStoreIn } from "./open.js";

const folders: string[] = [];
const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), "coxswain-disk-"));
  folders.push(made);
  return made;
};
afterEach(async () => {
  for (const made of folders.splice(0)) await rm(made, { recursive: true, force: true });
});

const openIn = (directory: string, more: Partial<DiskStoreOptions> = {}): Promise<Store> =>
  openDiskStore({ directory, clock: new FakeClock(), log: silentLogger, ...more });

const item = (name: string, value: string): KubeObject =>
  ({ apiVersion: "v1", kind: "Item", metadata: { name }, value }) as unknown as KubeObject;

async function put(store: Store, key: string, value = ""): Promise<number> {
  const expected = store.get("items", key)?.revision ?? 0;
  const { revision } = store.commit([{ type: "put", collection: "items", key, expected, object: item(key, value) }]);
  await store.settled(revision);
  return revision;
}

const contents = (store: Store): Record<string, unknown> =>
  Object.fromEntries(
    store.list({ collection: "items", prefix: "", from: "" }).items.map(({ key, object }) => [key, object]),
  );

const logIn = async (directory: string): Promise<string> =>
  join(
    directory,
    (await readdir(directory))
      .filter((name) => name.startsWith("log-"))
      .toSorted()
      .at(-1) as string,
  );

const openOn = (disk: ForgetfulFolder): Promise<Store> =>
  openStoreIn(disk, { clock: new FakeClock(), log: silentLogger });

const firstLog = "log-0000000000000001";

const logOf = (disk: ForgetfulFolder): Buffer => disk.image().get(firstLog) as Buffer;

const withLog = (disk: ForgetfulFolder, content: Buffer): ForgetfulFolder =>
  ForgetfulFolder.of(new Map([...disk.image(), [firstLog, content]]), seededRandom("with"));

storageContract("disk", async (clock) =>
  openDiskStore({ directory: await folder(), clock, log: silentLogger, freeze: true }),
);

describe("a store on disk", () => {
  test("has its history after a restart: revisions never go back, also after a restart", async () => {
    const directory = await folder();
    let revision: number;
    let before: unknown;
    {
      await using store = await openIn(directory);
      await put(store, "a", "1");
      await put(store, "b");
      await put(store, "a", "2");
      const { revision: gone } = store.commit([{ type: "delete", collection: "items", key: "b", expected: 2 }]);
      await store.settled(gone);
      revision = store.revision;
      before = contents(store);
    }
    await using store = await openIn(directory);
    expect([store.revision, contents(store)]).toEqual([revision, before]);
    expect(store.list({ collection: "items", prefix: "", from: "", revision: 2 }).items.map(({ key }) => key)).toEqual([
      "a",
      "b",
    ]);
    expect(await put(store, "c")).toBe(revision + 1);
  });

  test("takes no object that does not fit", async () => {
    await using store = await openIn(await folder(), { fits: ({ bytes }) => bytes.length < 200 });
    await put(store, "a");
    await expect(put(store, "b", "x".repeat(200))).rejects.toThrow(TooLargeError);
    expect([store.revision, Object.keys(contents(store))]).toEqual([1, ["a"]]);
  });

  test("of a newer version is refused with what to do, and untouched", async () => {
    const directory = await folder();
    {
      await using store = await openIn(directory);
      await put(store, "a");
    }
    const path = await logIn(directory);
    const newer = Buffer.concat([Buffer.from("coxlog3\n"), (await readFile(path)).subarray(8)]);
    await writeFile(path, newer);
    await expect(openIn(directory)).rejects.toThrow(/form 3, this one reads 1 and 2\): start that version/);
    expect((await readFile(path)).equals(newer)).toBe(true);
  });

  test("rotates its log behind snapshots and removes what they cover", async () => {
    const directory = await folder();
    {
      await using store = await openIn(directory, { segmentBytes: 2000 });
      for (let i = 0; i < 200; i++) await put(store, `k${i % 10}`, `value ${i}`);
    }
    const files = await readdir(directory);
    expect(files.filter((name) => name.startsWith("snapshot-")).length).toBe(1);
    expect(files.filter((name) => name.startsWith("log-")).length).toBeLessThan(5);
    await using store = await openIn(directory);
    expect([store.revision, Object.keys(contents(store)).length]).toEqual([200, 10]);
  });

  test("cut at any byte of its last records, loses only what was not whole, and goes on", async () => {
    const disk = new ForgetfulFolder(seededRandom("cut"));
    const after: { readonly size: number; readonly state: unknown; readonly revision: number }[] = [];
    {
      await using store = await openOn(disk);
      for (let i = 0; i < 6; i++) {
        await put(store, `k${i % 3}`, `value ${i}`);
        after.push({ size: logOf(disk).length, state: contents(store), revision: store.revision });
      }
    }
    const whole = logOf(disk);
    for (let cut = after[0]!.size; cut <= whole.length; cut++) {
      const expected = after.findLast(({ size }) => size <= cut)!;
      await using store = await openOn(withLog(disk, whole.subarray(0, cut)));
      expect([cut, store.revision, contents(store)]).toEqual([cut, expected.revision, expected.state]);
      expect(await put(store, "new")).toBe(expected.revision + 1);
    }
  });

  test("a flipped bit in the last record cuts it off; one before sound records stops the start with its place", async () => {
    const disk = new ForgetfulFolder(seededRandom("flip"));
    let firstEnd = 0;
    {
      await using store = await openOn(disk);
      await put(store, "a");
      firstEnd = logOf(disk).length;
      await put(store, "b");
    }
    const whole = logOf(disk);
    const flipped = (at: number): ForgetfulFolder => {
      const copy = Buffer.from(whole);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return withLog(disk, copy);
    };
    for (let at = 16; at < firstEnd; at++) {
      await expect(openOn(flipped(at))).rejects.toThrow("is damaged at byte 16");
    }
    for (let at = firstEnd; at < whole.length; at++) {
      await using store = await openOn(flipped(at));
      expect(Object.keys(contents(store))).toEqual(["a"]);
    }
  });

  test("a disk that fills up refuses writes, keeps what it has, and takes writes again when there is room", async () => {
    const disk = new ForgetfulFolder(seededRandom("full"));
    {
      await using store = await openOn(disk);
      await put(store, "a", "1");
      disk.free = 20;
      await expect(put(store, "b")).rejects.toThrow(JournalError);
      await expect(put(store, "b")).rejects.toThrow(
        "the write could not be stored: cannot write to log-0000000000000001: the disk is full (ENOSPC",
      );
      expect([Object.keys(contents(store)), store.revision]).toEqual([["a"], 1]);
      disk.free = Number.POSITIVE_INFINITY;
      await put(store, "c");
    }
    await using store = await openOn(disk);
    expect(Object.keys(contents(store))).toEqual(["a", "c"]);
  });

  test.skipIf(process.platform === "win32")(
    "is closed to others, and its files with it (there are no modes on Windows)",
    async () => {
      const directory = await folder();
      {
        await using store = await openIn(directory);
        await put(store, "a");
      }
      await chmod(directory, 0o777);
      await chmod(await logIn(directory), 0o644);
      await using _store = await openIn(directory);
      const modes = [directory, await logIn(directory)].map(async (path) => (await stat(path)).mode & 0o777);
      expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
      const strange = await folder();
      await writeFile(join(strange, "theirs"), "");
      await chmod(strange, 0o777);
      await expect(openIn(strange)).rejects.toThrow("others may change what is in the folder");
      expect(await readdir(strange)).toEqual(["theirs"]);
    },
  );

  test("what should have expired while it was closed is gone soon after the start", async () => {
    const directory = await folder();
    const clock = new FakeClock({ startMs: 1_000_000 });
    {
      await using store = await openIn(directory, { clock });
      const object = item("e", "");
      const { revision } = store.commit([
        { type: "put", collection: "items", key: "e", expected: 0, object, ttlMs: 1000 },
      ]);
      await store.settled(revision);
    }
    const later = new FakeClock({ startMs: 5_000_000 });
    await using store = await openIn(directory, { clock: later });
    await later.advance(1);
    expect(contents(store)).toEqual({});
  });
});

describe("a folder of version 0.1", () => {
  const copied = async (): Promise<string> => {
    const directory = await folder();
    await cp(join(process.cwd(), "test/fixtures/data-0.1.0"), directory, { recursive: true });
    return directory;
  };
  const names = async (directory: string): Promise<readonly string[]> => (await readdir(directory)).toSorted();
  const [log, snapshot] = ["log-0000000000000022", "snapshot-0000000000000021"] as const;

  test("is opened, written on in the present form, and still there at the next start", async () => {
    const directory = await copied();
    let before: unknown;
    {
      await using store = await openIn(directory);
      expect(store.revision).toBe(31);
      expect(Object.values(contents(store)).map((object) => (object as { value: string }).value)).toEqual(
        [28, 29, 30, 24, 25, 26, 27].map((n) => `value ${n}`),
      );
      expect(await put(store, "new")).toBe(32);
      before = contents(store);
    }
    expect(await names(directory)).toEqual([log, "log-0000000000000032", "manifest", snapshot]);
    await using store = await openIn(directory);
    expect([store.revision, contents(store)]).toEqual([32, before]);
  });

  test("loses its old files when a snapshot of the present form has taken their place", async () => {
    const directory = await copied();
    {
      await using store = await openIn(directory, { segmentBytes: 1000 });
      for (let i = 0; i < 60; i++) await put(store, `k${i % 7}`, `later ${i}`);
    }
    expect(await names(directory)).not.toContain(snapshot);
    await using store = await openIn(directory);
    expect([store.revision, Object.keys(contents(store)).length]).toEqual([91, 7]);
  });

  test("is cut off where its last record is torn", async () => {
    const directory = await copied();
    const whole = await readFile(join(directory, log));
    await writeFile(join(directory, log), whole.subarray(0, -3));
    await using store = await openIn(directory);
    expect(store.revision).toBe(30);
  });

  test.each([
    { without: log, says: "the log that has the revisions from 22 is missing: put back the whole data folder" },
    {
      without: snapshot,
      says: "the log that has the revisions from 1 to 21 is missing: put back the whole data folder",
    },
  ])("is refused without $without", async ({ without, says }) => {
    const directory = await copied();
    await rm(join(directory, without));
    await expect(openIn(directory)).rejects.toThrow(says);
    expect(await names(directory)).toEqual([log, snapshot].filter((name) => name !== without));
  });

  test("is not opened beside the process that has it open", async () => {
    const directory = await copied();
    const stat = await readFile(`/proc/${process.pid}/stat`, "utf8").catch(() => "");
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();
    const started = stat === "" ? "" : `${boot} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
    await writeFile(join(directory, "lock"), JSON.stringify({ pid: process.pid, started }));
    await expect(openIn(directory)).rejects.toThrow(`is in use by process ${process.pid}, of version 0.1`);
    await writeFile(join(directory, "lock"), JSON.stringify({ pid: process.pid, started: "another boot 1" }));
    await using store = await openIn(directory);
    expect(store.revision).toBe(31);
  });
});
