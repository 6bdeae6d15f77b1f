import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { FakeClock, seededRandom, silentLogger } from "../../../base/index.js";
import type { KubeObject } from "../../../api/index.js";
import { ForgetfulFolder } from "../../../../test/storage/forgetful-folder.js";
import type { Store } from "../contract.js";
import { openStoreIn } from "./open.js";

type Files = ReadonlyMap<string, Buffer>;

const full = process.env["COXSWAIN_FULL"] === "1";

const folderOf = (files: Files): ForgetfulFolder => ForgetfulFolder.of(files, seededRandom("damage"));

const openIn = (folder: ForgetfulFolder): Promise<Store> =>
  openStoreIn(folder, { clock: new FakeClock(), log: silentLogger, segmentBytes: 4000 });

function contentOf(store: Store): string {
  const { items } = store.list({ collection: "items", prefix: "", from: "" });
  return JSON.stringify([store.revision, ...items.map(({ key, object }) => [key, object])]);
}

async function put(store: Store, key: string, more: object = {}): Promise<void> {
  const expected = store.get("items", key)?.revision ?? 0;
  const object = { apiVersion: "v1", kind: "Item", metadata: { name: key }, ...more } as KubeObject;
  await store.settled(store.commit([{ type: "put", collection: "items", key, expected, object }]).revision);
}

/** A folder with a snapshot and several segments, and the readable state after each write. */
async function written(): Promise<{ readonly files: Files; readonly states: ReadonlySet<string> }> {
  const folder = new ForgetfulFolder(seededRandom("written"));
  const states = new Set<string>();
  const random = seededRandom("values");
  await using store = await openIn(folder);
  const isEnough = (): boolean => {
    const names = [...folder.image().keys()];
    return logsOf(folder.image()).length === 3 && names.some((name) => name.startsWith("snapshot-"));
  };
  while (!isEnough()) {
    await put(store, `k${random.int(200)}`, { n: states.size });
    await quiet(folder);
    states.add(contentOf(store));
  }
  return { files: folder.image(), states };
}

/** Until nothing happens in the folder by itself. */
async function quiet(folder: ForgetfulFolder): Promise<void> {
  for (let before = -1; before !== folder.operations; ) {
    before = folder.operations;
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const logsOf = (files: Files): readonly string[] =>
  [...files.keys()].filter((name) => name.startsWith("log-")).toSorted();

let files: Files;
let states: ReadonlySet<string>;
let newest: string;

beforeAll(async () => {
  ({ files, states } = await written());
  newest = [...states].at(-1) ?? "";
});

describe("a folder that was tampered with", () => {
  test("has a snapshot, a list and several segments to begin with", async () => {
    expect([...files.keys()].toSorted().map((name) => name.split("-")[0])).toEqual([
      "log",
      "log",
      "log",
      "manifest",
      "snapshot",
    ]);
    await using store = await openIn(folderOf(files));
    expect(contentOf(store)).toBe(newest);
  });

  test("is refused without any one of its files, says which, and stays as it is", async () => {
    for (const name of files.keys()) {
      const folder = folderOf(new Map([...files].filter(([other]) => other !== name)));
      const before = folder.image();
      await expect(openIn(folder)).rejects.toThrow(
        new RegExp(
          `^${name}.* is missing.*: put back the whole data folder from one copy, or start with another folder`,
        ),
      );
      expect(folder.image()).toEqual(before);
    }
  });

  test("is refused with any one of its files empty", async () => {
    for (const name of files.keys()) {
      await expect(openIn(folderOf(new Map([...files, [name, Buffer.alloc(0)]])))).rejects.toThrow(name);
    }
  });

  test("is refused with a file of another folder under the right name", async () => {
    const other = await written();
    for (const name of files.keys()) {
      const strange = other.files.get(name);
      if (name === "manifest" || strange === undefined) continue;
      await expect(openIn(folderOf(new Map([...files, [name, strange]])))).rejects.toThrow(
        `${name} is not the file that belongs here`,
      );
    }
  });

  test("is refused with the list of an older copy, for newer files would be removed", async () => {
    const folder = folderOf(files);
    const newestLog = logsOf(files).at(-1) as string;
    {
      await using store = await openIn(folder);
      for (let i = 0; (logsOf(folder.image()).at(-1) as string) <= newestLog; i++) await put(store, `n${i}`);
      await put(store, "n");
    }
    const mixed = new Map([...files, ...folder.image(), ["manifest", files.get("manifest") as Buffer]]);
    await expect(openIn(folderOf(mixed))).rejects.toThrow(
      `${logsOf(folder.image()).at(-1)} is newer than the list of the folder's files`,
    );
  });

  test("with any bytes changed, is refused in words or has lost no more than the end of the last segment", async () => {
    const names = [...files.keys()];
    const last = logsOf(files).at(-1);
    const change = fc.record({
      name: fc.constantFrom(...names),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      how: fc.oneof(
        fc.record({ type: fc.constant("set" as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
        fc.record({ type: fc.constant("insert" as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) }),
        fc.constant({ type: "cut" as const }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        const damaged = new Map(files);
        for (const { name, at, how } of changes) {
          const content = damaged.get(name) as Buffer;
          const place = Math.floor(at * content.length);
          const [before, after] = [content.subarray(0, place), content.subarray(place)];
          const bytes = how.type === "cut" ? Buffer.alloc(0) : Buffer.from(how.bytes);
          const rest =
            how.type === "insert" ? after : how.type === "set" ? after.subarray(bytes.length) : Buffer.alloc(0);
          damaged.set(name, Buffer.concat([before, bytes, rest]));
        }
        let found: string;
        try {
          await using store = await openIn(folderOf(damaged));
          found = contentOf(store);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect([(error as Error).constructor, (error as Error).message]).toEqual([
            Error,
            expect.stringMatching(/^(log-|snapshot-|manifest)/),
          ]);
          return;
        }
        expect(states).toContain(found);
        if (changes.every(({ name }) => name !== last)) expect(found).toBe(newest);
      }),
      { numRuns: full ? 20_000 : 400 },
    );
  });
});
