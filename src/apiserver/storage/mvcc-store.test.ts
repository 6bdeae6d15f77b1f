import { expect, test } from "vitest";
import { FakeClock } from "../../base/index.js";
import type { KubeObject } from "../../api/index.js";
import { storageContract, turn } from "../../../test/contracts/storage.js";
import { JournalError } from "./contract.js";
import { MvccStore } from "./mvcc-store.js";

storageContract("memory", (clock) => new MvccStore({ clock, freeze: true }));

const item = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Item", metadata: { name } });

test("a write that the journal refuses is taken back with all that was built on it, and nobody has seen it", async () => {
  let full = false;
  const journal = {
    append: () => (full ? Promise.reject(new Error("ENOSPC")) : Promise.resolve()),
    close: () => Promise.resolve(),
  };
  await using store = new MvccStore({ clock: new FakeClock(), journal });
  const seen: number[] = [];
  using _ = store.watch({ collection: "items", prefix: "", after: 0 }, (events) =>
    seen.push(...events.map(({ revision }) => revision)),
  );
  const kept = store.commit([{ type: "put", collection: "items", key: "a", expected: 0, object: item("a") }]);
  await store.settled(kept.revision);
  full = true;
  const lost = store.commit([{ type: "put", collection: "items", key: "a", expected: 1, object: item("a") }]);
  const later = store.commit([{ type: "put", collection: "items", key: "b", expected: 0, object: item("b") }]);
  await expect(store.settled(lost.revision)).rejects.toThrow(JournalError);
  await turn();
  expect([store.revision, store.get("items", "a")?.revision, store.get("items", "b"), seen]).toEqual([
    1,
    1,
    undefined,
    [1],
  ]);
  full = false;
  const next = store.commit([{ type: "put", collection: "items", key: "b", expected: 0, object: item("b") }]);
  await store.settled(next.revision);
  await turn();
  expect(next.revision).toBeGreaterThan(later.revision);
  expect(seen).toEqual([1, next.revision]);
});

test("more history than is allowed is not kept, whatever its age", async () => {
  await using store = new MvccStore({ clock: new FakeClock(), historyEvents: 10 });
  let expected = 0;
  for (let i = 0; i < 100; i++) {
    expected = store.commit([{ type: "put", collection: "items", key: "a", expected, object: item("a") }]).revision;
  }
  expect(store.revision - store.compacted).toBeLessThanOrEqual(10);
});

test("history may take as much room as all that there is, and less when that goes", async () => {
  await using store = new MvccStore({ clock: new FakeClock(), historyBytes: 1_000 });
  const put = (key: string, expected: number): number =>
    store.commit([{ type: "put", collection: "items", key, expected, object: item(key) }]).revision;
  const keys = Array.from({ length: 100 }, (_, i) => `item-${i}`);
  const revisions = keys.map((key) => put(key, 0));
  const again = keys.map((key, i) => put(key, revisions[i] as number));
  expect(store.compacted).toBe(0);
  for (const [i, key] of keys.entries()) {
    store.commit([{ type: "delete", collection: "items", key, expected: again[i] as number }]);
  }
  expect(store.revision - store.compacted).toBeLessThan(20);
});

test("a watch is given a long history in parts, of whole transactions, and only its own", async () => {
  await using store = new MvccStore({ clock: new FakeClock() });
  const big = (name: string): KubeObject => ({ ...item(name), data: "x".repeat(100_000) }) as KubeObject;
  for (let i = 0; i < 10; i++) {
    store.commit([
      { type: "put", collection: "items", key: `a/${i}`, expected: 0, object: big("a") },
      { type: "put", collection: "items", key: `b/${i}`, expected: 0, object: big("b") },
    ]);
  }
  const parts = async (prefix: string): Promise<readonly number[]> => {
    const sizes: number[] = [];
    using _ = store.watch({ collection: "items", prefix, after: 0 }, (events) => sizes.push(events.length));
    for (let i = 0; i < 20; i++) await turn();
    return sizes;
  };
  expect(await parts("")).toEqual([4, 4, 4, 4, 4]);
  expect(await parts("b/")).toEqual([3, 3, 3, 1]);
});

test("what is kept for those who still take it has its bounds too", async () => {
  await using store = new MvccStore({ clock: new FakeClock(), historyEvents: 10 });
  const lost: number[] = [];
  using _ = store.watch(
    { collection: "items", prefix: "", after: 0 },
    () => false,
    ({ bound }) => lost.push(bound),
  );
  let expected = 0;
  const write = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      expected = store.commit([{ type: "put", collection: "items", key: "a", expected, object: item("a") }]).revision;
      await turn();
    }
  };
  await write(40);
  expect([store.compacted, lost]).toEqual([1, []]);
  await write(40);
  expect(lost).toHaveLength(1);
  expect(store.revision - store.compacted).toBeLessThanOrEqual(10);
});

test("one turn serves some of many watchers, and the next ones the others, in their order", async () => {
  await using store = new MvccStore({ clock: new FakeClock() });
  const served: number[] = [];
  const watches = Array.from({ length: 1_000 }, (_, i) =>
    store.watch({ collection: "items", prefix: "", after: 0 }, () => served.push(i)),
  );
  store.commit([{ type: "put", collection: "items", key: "a", expected: 0, object: item("a") }]);
  const perTurn: number[] = [];
  for (let before = 0; served.length < watches.length; before = served.length) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (served.length > before) perTurn.push(served.length - before);
  }
  expect(served).toEqual(watches.map((_, i) => i));
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(256);
  for (const watch of watches) watch[Symbol.dispose]();
});
