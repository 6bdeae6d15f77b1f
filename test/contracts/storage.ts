/** The storage contract as tests: every backend runs `storageContract` with a function that opens it. */
import { afterEach, describe, expect, test } from "vitest";
import fc from "fast-check";
import { FakeClock } from "../../src/base/index.js";
import type { KubeObject } from "../../src/api/index.js";
import { ExpectationError, RevisionError, type Store, type StoreEvent } from "../../src/apiserver/storage/contract.js";

export type OpenStore = (clock: FakeClock) => Store | Promise<Store>;

const item = (name: string, value = ""): KubeObject =>
  ({ apiVersion: "v1", kind: "Item", metadata: { name }, value }) as unknown as KubeObject;

/** Waits until the store has delivered its events. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function put(store: Store, key: string, options: { value?: string; expected?: number; ttlMs?: number } = {}) {
  const { value = "", expected = 0, ttlMs } = options;
  const object = item(key, value);
  const done = store.commit([
    { type: "put", collection: "items", key, expected, object, ...(ttlMs === undefined ? {} : { ttlMs }) },
  ]);
  await store.settled(done.revision);
  return done.revision;
}

const keysOf = (store: Store, revision?: number): readonly string[] =>
  store
    .list({ collection: "items", prefix: "", from: "", ...(revision === undefined ? {} : { revision }) })
    .items.map(({ key }) => key);

export function storageContract(name: string, open: OpenStore): void {
  describe(`${name} keeps the storage contract`, () => {
    const opened: Store[] = [];
    const clock = new FakeClock();
    const start = async (): Promise<Store> => {
      const store = await open(clock);
      opened.push(store);
      return store;
    };
    afterEach(async () => {
      for (const store of opened.splice(0)) await store[Symbol.asyncDispose]();
    });

    test("one global revision: every transaction takes the next, and its object carries it", async () => {
      const store = await start();
      const before = store.revision;
      await put(store, "a");
      await put(store, "b");
      expect([store.revision, store.get("items", "b")?.object.metadata.resourceVersion]).toEqual([
        before + 2,
        String(before + 2),
      ]);
      expect(JSON.parse(new TextDecoder().decode(store.get("items", "b")?.bytes))).toEqual(
        store.get("items", "b")?.object,
      );
    });

    test("every write is atomic and ordered: changes of one transaction share a revision and happen whole or not at all", async () => {
      const store = await start();
      await put(store, "a");
      const revision = store.revision;
      const attempt = (): unknown =>
        store.commit([
          { type: "put", collection: "items", key: "x", expected: 0, object: item("x") },
          { type: "put", collection: "items", key: "a", expected: 0, object: item("a") },
        ]);
      expect(attempt).toThrow(ExpectationError);
      expect([store.revision, keysOf(store)]).toEqual([revision, ["a"]]);
      const done = store.commit([
        { type: "put", collection: "items", key: "x", expected: 0, object: item("x") },
        { type: "delete", collection: "items", key: "a", expected: revision },
      ]);
      await store.settled(done.revision);
      expect([done.revision, keysOf(store)]).toEqual([revision + 1, ["x"]]);
    });

    test("a write that expects another version is refused with the current one", async () => {
      const store = await start();
      const first = await put(store, "a");
      await put(store, "a", { expected: first });
      expect(() => store.commit([{ type: "delete", collection: "items", key: "a", expected: first }])).toThrow(
        `items a: expected revision ${first}, found ${first + 1}`,
      );
    });

    test("lists are sorted, paged from one revision, and count what remains", async () => {
      const store = await start();
      for (const key of ["b/2", "a/1", "a-b/1", "b/1", "c"]) await put(store, key);
      const at = store.revision;
      await put(store, "a/0");
      const page = store.list({ collection: "items", prefix: "", from: "", limit: 2, revision: at });
      expect([page.items.map(({ key }) => key), page.more, page.remaining]).toEqual([["a-b/1", "a/1"], true, 3]);
      const rest = store.list({ collection: "items", prefix: "", from: "a/1\0", revision: at });
      expect([rest.items.map(({ key }) => key), rest.more]).toEqual([["b/1", "b/2", "c"], false]);
      expect(store.list({ collection: "items", prefix: "b/", from: "" }).items.map(({ key }) => key)).toEqual([
        "b/1",
        "b/2",
      ]);
    });

    test("a list at R followed by a watch from R loses and repeats nothing, and each change comes with the state before", async () => {
      const store = await start();
      const first = await put(store, "a", { value: "1" });
      const seen: StoreEvent[] = [];
      using watching = store.watch({ collection: "items", prefix: "", after: store.revision }, (events) =>
        seen.push(...events),
      );
      await put(store, "a", { value: "2", expected: first });
      await put(store, "b");
      const done = store.commit([{ type: "delete", collection: "items", key: "a", expected: first + 1 }]);
      await store.settled(done.revision);
      await turn();
      expect(watching).toBeDefined();
      expect(
        seen.map(({ key, revision, previous, current }) => [key, revision, previous?.revision, current?.revision]),
      ).toEqual([
        ["a", first + 1, first, first + 1],
        ["b", first + 2, undefined, first + 2],
        ["a", first + 3, first + 1, undefined],
      ]);
      expect(seen[2]?.departed?.object.metadata.resourceVersion).toBe(String(first + 3));
    });

    test("a watch from an old revision is given the history first, and only of its prefix", async () => {
      const store = await start();
      const from = store.revision;
      await put(store, "x/1");
      await put(store, "y/1");
      const seen: string[] = [];
      using _ = store.watch({ collection: "items", prefix: "x/", after: from }, (events) =>
        seen.push(...events.map(({ key }) => key)),
      );
      await put(store, "x/2");
      await turn();
      expect(seen).toEqual(["x/1", "x/2"]);
    });

    test("a watch that says not now is given the rest when it resumes, and history waits for it as long as it takes some", async () => {
      const store = await start();
      const from = store.revision;
      const seen: number[] = [];
      let hungry = false;
      const lost: RevisionError[] = [];
      using watching = store.watch(
        { collection: "items", prefix: "", after: from },
        (events) => {
          seen.push(...events.map(({ revision }) => revision - from));
          return hungry;
        },
        (error) => lost.push(error),
      );
      for (const key of ["a", "b", "c"]) {
        await put(store, key);
        await turn();
      }
      expect([seen, watching.catchUp() - from]).toEqual([[1], 1]);
      store.compact(store.revision);
      expect(store.compacted).toBe(from + 1);
      hungry = true;
      watching.resume();
      await turn();
      expect([seen, watching.catchUp() - from, lost]).toEqual([[1, 2, 3], 3, []]);
      store.compact(store.revision);
      expect(store.compacted).toBe(from + 3);
    });

    test("a watch that takes nothing for a minute is not waited for: it is told that it has lost history, and is given no more", async () => {
      const store = await start();
      const from = store.revision;
      const seen: number[] = [];
      const lost: string[] = [];
      using watching = store.watch(
        { collection: "items", prefix: "", after: from },
        (events) => {
          seen.push(...events.map(({ revision }) => revision - from));
          return false;
        },
        (error) => lost.push(`${error.failure} ${error.revision - from} ${error.bound - from}`),
      );
      using _ = store.watch(
        { collection: "items", prefix: "other/", after: from },
        () => false,
        (error) => lost.push(String(error)),
      );
      await put(store, "a");
      await turn();
      await put(store, "b");
      await clock.advance(60_001);
      await put(store, "c");
      store.compact(store.revision);
      expect([store.compacted - from, lost]).toEqual([3, ["compacted 1 3"]]);
      watching.resume();
      await put(store, "d");
      await turn();
      expect(seen).toEqual([1]);
    });

    test("compacted revisions can neither be listed nor watched; later ones still can", async () => {
      const store = await start();
      const first = await put(store, "a");
      const second = await put(store, "a", { expected: first });
      await put(store, "b");
      store.compact(second);
      expect(() => keysOf(store, first)).toThrow(RevisionError);
      expect(() => store.watch({ collection: "items", prefix: "", after: first }, () => {})).toThrow(RevisionError);
      expect(keysOf(store, second)).toEqual(["a"]);
      expect(() => keysOf(store, store.revision + 1)).toThrow(RevisionError);
    });

    test("history is forgotten by age", async () => {
      const store = await start();
      const first = await put(store, "a");
      await put(store, "b");
      await clock.advance(700_000);
      expect(() => keysOf(store, first)).toThrow(RevisionError);
      expect(keysOf(store)).toEqual(["a", "b"]);
    });

    test("an object with a time to live is deleted when it is over, and a rewrite starts it anew", async () => {
      const store = await start();
      const first = await put(store, "a", { ttlMs: 1000 });
      await clock.advance(900);
      await put(store, "a", { ttlMs: 1000, expected: first });
      await clock.advance(900);
      expect(keysOf(store)).toEqual(["a"]);
      await clock.advance(200);
      expect(keysOf(store)).toEqual([]);
    });

    test("any history agrees with a naive model at every revision, and a watcher can rebuild it", async () => {
      const step = fc.record({
        key: fc.constantFrom("a", "b", "c/1", "c/2"),
        remove: fc.boolean(),
        compact: fc.integer({ min: 0, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const store = await start();
          const replica = new Map<string, number>();
          using _ = store.watch({ collection: "items", prefix: "", after: store.revision }, (events) => {
            for (const { key, current } of events) {
              if (current) replica.set(key, current.revision);
              else replica.delete(key);
            }
          });
          const model = new Map<string, number>();
          const states: [number, string[]][] = [];
          for (const { key, remove, compact } of steps) {
            const expected = model.get(key) ?? 0;
            if (remove && expected === 0) continue;
            const base = { collection: "items", key, expected } as const;
            const done = store.commit([
              remove ? { type: "delete", ...base } : { type: "put", ...base, object: item(key) },
            ]);
            await store.settled(done.revision);
            if (remove) model.delete(key);
            else model.set(key, done.revision);
            states.push([done.revision, [...model.keys()].toSorted()]);
            if (compact === 0) store.compact(done.revision - 3);
          }
          await turn();
          for (const [revision, keys] of states) {
            if (revision >= store.compacted) expect(keysOf(store, revision)).toEqual(keys);
          }
          expect(new Map(replica)).toEqual(model);
          expect(store.count("items")).toBe(model.size);
        }),
        { numRuns: 50 },
      );
    });
  });
}
