import fc from "fast-check";
import { expect, test } from "vitest";
import { storageContract, turn } from "../../../test/contracts/storage.js";
import type { KubeObject } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import type { StoreEvent } from "./contract.js";
import { MvccStore } from "./mvcc-store.js";

storageContract("a fork", (clock) => new MvccStore({ clock }).fork(clock));

const collection = "items";
const item = (name: string, value: number): KubeObject =>
  ({ apiVersion: "v1", kind: "Item", metadata: { name }, value }) as unknown as KubeObject;
const valueIn = (object: KubeObject | undefined): unknown =>
  (object as { readonly value?: unknown } | undefined)?.value;

/** One write of the model: the key's value from that revision on; undefined if it was deleted. */
interface Write {
  readonly revision: number;
  readonly key: string;
  readonly value: number | undefined;
}

/** A store, and the naive copy of its whole history that it is compared with. */
interface Pair {
  readonly store: MvccStore;
  readonly writes: Write[];
  compacted: number;
}

const current = ({ writes }: Pair, key: string): Write | undefined => writes.findLast((write) => write.key === key);

function stateAt({ writes }: Pair, revision: number): readonly string[] {
  const state = new Map<string, number | undefined>();
  for (const write of writes) if (write.revision <= revision) state.set(write.key, write.value);
  return [...state]
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
}

const listed = (store: MvccStore, revision: number): readonly string[] =>
  store
    .list({ collection, prefix: "", from: "", revision })
    .items.map(({ key, object }) => `${key}=${String(valueIn(object))}`);

async function eventsAfter(store: MvccStore, after: number): Promise<readonly string[]> {
  const seen: StoreEvent[] = [];
  const watch = store.watch({ collection, prefix: "", after }, (events) => seen.push(...events));
  await turn();
  watch[Symbol.dispose]();
  return seen.map(
    ({ revision, key, previous, current: now }) =>
      `${revision} ${key} ${String(valueIn(previous?.object))}→${String(valueIn(now?.object))}`,
  );
}

function expectedAfter({ writes }: Pair, after: number): readonly string[] {
  const before = new Map<string, number | undefined>();
  return writes.flatMap(({ revision, key, value }) => {
    const line = `${revision} ${key} ${String(before.get(key))}→${String(value)}`;
    before.set(key, value);
    return revision > after ? [line] : [];
  });
}

async function check(pair: Pair): Promise<void> {
  const { store, compacted } = pair;
  expect(store.compacted).toBe(compacted);
  for (let revision = compacted; revision <= store.revision; revision += 1)
    expect(listed(store, revision)).toEqual(stateAt(pair, revision));
  expect(store.count(collection)).toBe(stateAt(pair, store.revision).length);
  for (const key of new Set(pair.writes.map((write) => write.key)))
    expect(valueIn(store.get(collection, key)?.object)).toBe(current(pair, key)?.value);
  const middle = Math.ceil((compacted + store.revision) / 2);
  for (const after of [compacted, middle, store.revision])
    expect(await eventsAfter(store, after)).toEqual(expectedAfter(pair, after));
}

/** A few keys are chosen often, so that they are replaced, deleted, forgotten and made again on both sides of a fork. */
const nth = fc.oneof({ weight: 3, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(600) });
const does = fc.oneof(
  { weight: 8, arbitrary: fc.constant("put") },
  { weight: 5, arbitrary: fc.constant("delete") },
  { weight: 2, arbitrary: fc.constant("fork") },
  { weight: 2, arbitrary: fc.constant("compact") },
);
const step = fc.record({ does, at: fc.nat(), nth });

test("stores and their forks, and forks of forks, do not see each other's writes, deletions and compactions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(700), fc.array(step, { maxLength: 120 }), async (first, steps) => {
      const pairs: Pair[] = [{ store: new MvccStore({ clock: new FakeClock() }), writes: [], compacted: 0 }];
      let value = 0;
      const put = (pair: Pair, key: string): void => {
        const expected = pair.store.get(collection, key)?.revision ?? 0;
        value += 1;
        const { revision } = pair.store.commit([{ type: "put", collection, key, expected, object: item(key, value) }]);
        pair.writes.push({ revision, key, value });
      };
      // several chunks of keys, so that forks share some of them and copy others
      for (let i = 0; i < first; i += 1) put(pairs[0] as Pair, `key-${i}`);
      for (const { does, at, nth } of steps) {
        const pair = pairs[at % pairs.length] as Pair;
        const { store, writes } = pair;
        if (does === "put") put(pair, `key-${nth}`);
        else if (does === "fork")
          pairs.push({ store: store.fork(new FakeClock()), writes: [...writes], compacted: pair.compacted });
        else if (does === "compact") {
          // the newest few revisions stay
          pair.compacted = Math.max(pair.compacted, store.revision - nth);
          store.compact(pair.compacted);
        } else {
          const key = `key-${nth}`;
          const expected = store.get(collection, key)?.revision;
          if (expected === undefined) continue;
          const { revision } = store.commit([{ type: "delete", collection, key, expected }]);
          writes.push({ revision, key, value: undefined });
        }
      }
      try {
        for (const pair of pairs) {
          // comparing every revision of a long history takes long: the oldest are compacted in the model and the store
          const enough = Math.max(pair.compacted, pair.store.revision - 80);
          pair.store.compact(enough);
          await check({ ...pair, compacted: pair.store.compacted });
        }
      } finally {
        for (const { store } of pairs) await store.close();
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);

test("an object that has an end ends in the fork on the fork's clock", async () => {
  const clock = new FakeClock();
  await using store = new MvccStore({ clock });
  store.commit([{ type: "put", collection, key: "a", expected: 0, object: item("a", 1), ttlMs: 10_000 }]);
  await clock.advance(4_000);
  const own = new FakeClock({ startMs: clock.now() });
  await using fork = store.fork(own);
  await own.advance(5_999);
  expect(fork.count(collection)).toBe(1);
  await own.advance(1);
  expect([fork.count(collection), store.count(collection)]).toEqual([0, 1]);
});

test("history from before the fork is forgotten in the fork after its time, and not in the store", async () => {
  const clock = new FakeClock();
  await using store = new MvccStore({ clock });
  store.commit([{ type: "put", collection, key: "a", expected: 0, object: item("a", 1) }]);
  const own = new FakeClock({ startMs: clock.now() });
  await using fork = store.fork(own);
  for (let minutes = 0; minutes < 7; minutes += 1) await own.advance(60_000);
  expect([fork.compacted, store.compacted]).toEqual([1, 0]);
});

test("a fork shares what is large: it copies no keys, objects or history before it writes", async () => {
  await using store = new MvccStore({ clock: new FakeClock() });
  const bytes = "x".repeat(1_000);
  for (let i = 0; i < 2_000; i += 1) {
    const object = { ...item(`key-${i}`, i), bytes } as KubeObject;
    store.commit([{ type: "put", collection, key: `key-${i}`, expected: 0, object }]);
  }
  await using fork = store.fork(new FakeClock());
  const [a, b] = [store, fork].map((one) => one.list({ collection, prefix: "", from: "" }).items);
  expect(b?.every((stored, index) => stored === a?.[index])).toBe(true);
});
