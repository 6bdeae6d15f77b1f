import { mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { FakeClock, silentLogger } from "../../../base/index.js";
import type { KubeObject } from "../../../api/index.js";
import { storageContract } from "../../../../test/contracts/storage.js";
import { JournalError, type Store } from "../storage.js";
import type { LogFile } from "./disk-journal.js";
import { type DiskStoreOptions, openDiskStore } from "./open.js";

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

  test("of a newer version is refused with what to do, and untouched", async () => {
    const directory = await folder();
    {
      await using store = await openIn(directory);
      await put(store, "a");
    }
    const path = await logIn(directory);
    const newer = Buffer.concat([Buffer.from("coxlog2\n"), (await readFile(path)).subarray(8)]);
    await writeFile(path, newer);
    await expect(openIn(directory)).rejects.toThrow(/form 2, this one reads 1\): start that version/);
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
    const directory = await folder();
    const after: { readonly size: number; readonly state: unknown; readonly revision: number }[] = [];
    {
      await using store = await openIn(directory);
      for (let i = 0; i < 6; i++) {
        await put(store, `k${i % 3}`, `value ${i}`);
        after.push({
          size: (await readFile(await logIn(directory))).length,
          state: contents(store),
          revision: store.revision,
        });
      }
    }
    const path = await logIn(directory);
    const whole = await readFile(path);
    for (let cut = after[0]!.size; cut <= whole.length; cut++) {
      await writeFile(path, whole.subarray(0, cut));
      const expected = after.findLast(({ size }) => size <= cut)!;
      await using store = await openIn(directory);
      expect([cut, store.revision, contents(store)]).toEqual([cut, expected.revision, expected.state]);
      expect(await put(store, "new")).toBe(expected.revision + 1);
    }
  });

  test("a flipped bit in the last record cuts it off; one before sound records stops the start with its place", async () => {
    const directory = await folder();
    let firstEnd = 0;
    {
      await using store = await openIn(directory);
      await put(store, "a");
      firstEnd = (await readFile(await logIn(directory))).length;
      await put(store, "b");
    }
    const path = await logIn(directory);
    const whole = await readFile(path);
    const flipped = (at: number): Buffer => {
      const copy = Buffer.from(whole);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    };
    for (let at = 8; at < firstEnd; at++) {
      await writeFile(path, flipped(at));
      await expect(openIn(directory)).rejects.toThrow("is damaged at byte 8");
    }
    for (let at = firstEnd; at < whole.length; at++) {
      await writeFile(path, flipped(at));
      await using store = await openIn(directory);
      expect(Object.keys(contents(store))).toEqual(["a"]);
    }
  });

  test("a disk that fills up refuses writes, keeps what it has, and takes writes again when there is room", async () => {
    const directory = await folder();
    const disk = { free: Number.POSITIVE_INFINITY };
    const openSegment = async (path: string): Promise<LogFile> => {
      const file = await open(path, "r+").catch(() => open(path, "w"));
      return {
        datasync: () => file.datasync(),
        truncate: (length) => file.truncate(length),
        close: () => file.close(),
        write: async (buffer: Uint8Array, offset: number, length: number, position: number) => {
          const fits = Math.min(length, disk.free);
          if (fits > 0) await file.write(buffer, offset, fits, position);
          if (fits < length)
            throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
          return { bytesWritten: length, buffer };
        },
      } as LogFile;
    };
    {
      await using store = await openIn(directory, { openSegment });
      await put(store, "a", "1");
      disk.free = 20;
      await expect(put(store, "b")).rejects.toThrow(JournalError);
      await expect(put(store, "b")).rejects.toThrow("ENOSPC");
      expect([Object.keys(contents(store)), store.revision]).toEqual([["a"], 1]);
      disk.free = Number.POSITIVE_INFINITY;
      await put(store, "c");
    }
    await using store = await openIn(directory);
    expect(Object.keys(contents(store))).toEqual(["a", "c"]);
  });

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
