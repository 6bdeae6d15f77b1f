import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, type Random, seededRandom, silentLogger } from "../../../base/index.js";
import type { KubeObject } from "../../../api/index.js";
import { ForgetfulFolder } from "../../../../test/storage/forgetful-folder.js";
import { JournalError, type Store } from "../contract.js";
import { openStoreIn } from "./open.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const openIn = (folder: ForgetfulFolder): Promise<Store> =>
  openStoreIn(folder, { clock: new FakeClock(), log: silentLogger, segmentBytes: 1500, frameBytes: 300 });

const item = (name: string, value: string): KubeObject =>
  ({ apiVersion: "v1", kind: "Item", metadata: { name }, value }) as unknown as KubeObject;

/** Everything that can be read, as text. */
function contentOf(store: Store): string {
  const all = store
    .collections()
    .toSorted()
    .flatMap((collection) => store.list({ collection, prefix: "", from: "" }).items);
  return all.map(({ collection, key, bytes }) => `${collection} ${key} ${new TextDecoder().decode(bytes)}`).join("\n");
}

/**
 * 1. `states` has the readable state after each revision that was given out since the last start.
 * 2. `acknowledged` never decreases.
 */
interface Ledger {
  readonly states: Map<number, string>;
  readonly refused: Set<number>;
  acknowledged: number;
}

/** Changes one to three keys of two collections. */
function commitSomething(store: Store, random: Random, ledger: Ledger): Promise<void> {
  const keys = [...new Set(Array.from({ length: 1 + random.int(3) }, () => `k${random.int(12)}`))];
  const changes = keys.map((key) => {
    const collection = random.int(4) === 0 ? "others" : "items";
    const expected = store.get(collection, key)?.revision ?? 0;
    const object = item(key, "x".repeat(random.int(400)));
    return expected !== 0 && random.int(3) === 0
      ? ({ type: "delete", collection, key, expected } as const)
      : ({ type: "put", collection, key, expected, object } as const);
  });
  const { revision } = store.commit(changes);
  ledger.states.set(revision, contentOf(store));
  return store.settled(revision).then(
    () => {
      ledger.acknowledged = Math.max(ledger.acknowledged, revision);
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(JournalError);
      ledger.refused.add(revision);
    },
  );
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** From one start to the next failure of the power. */
async function live(folder: ForgetfulFolder, random: Random, ledger: Ledger): Promise<void> {
  const store = await openIn(folder);
  expect(store.revision).toBeGreaterThanOrEqual(ledger.acknowledged);
  expect(contentOf(store)).toBe(ledger.states.get(store.revision));
  ledger.states.clear();
  ledger.states.set(store.revision, contentOf(store));
  // the recovered state has been shown, so it must stay
  ledger.acknowledged = store.revision;
  const writes: Promise<void>[] = [];
  for (let i = random.int(random.int(3) === 0 ? 3 : 80); i > 0 && !folder.hasFailed; i--) {
    writes.push(commitSomething(store, random, ledger));
    if (random.int(3) === 0) await Promise.all(writes);
    else if (random.int(2) === 0) await turn();
  }
  await Promise.all(writes);
  await Promise.resolve(store[Symbol.asyncDispose]()).catch(() => {});
}

async function surviveFailures(seed: number, failures: number): Promise<void> {
  const random = seededRandom(`power ${seed}`);
  const folder = new ForgetfulFolder(random);
  const ledger: Ledger = { states: new Map([[0, ""]]), refused: new Set(), acknowledged: 0 };
  for (let i = 0; i < failures; i++) {
    folder.failAfter(random.int(random.int(2) === 0 ? 30 : 400));
    try {
      await live(folder, random, ledger);
    } catch (error) {
      // it failed while the folder was being opened; nothing else may throw
      if (!(error instanceof Error) || !error.message.includes("the power has failed")) throw error;
    }
    if (random.int(3) === 0) folder.kill();
    else folder.restart();
  }
  await live(folder, random, ledger);
}

describe("a store on a disk that loses its power", () => {
  test("has every write that was acknowledged, at no revision that goes back, and no half of any other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), (seed) => surviveFailures(seed, 8)),
      { numRuns: full ? 400 : 25, endOnFailure: true },
    );
  });

  test("full at any moment, keeps what it acknowledged and nothing that it refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = seededRandom(`full ${seed}`);
        const folder = new ForgetfulFolder(random);
        const ledger: Ledger = { states: new Map([[0, ""]]), refused: new Set(), acknowledged: 0 };
        let store = await openIn(folder);
        for (let i = 0; i < 60; i++) {
          folder.free = random.int(4) === 0 ? random.int(800) : Number.POSITIVE_INFINITY;
          const writes = Array.from({ length: 1 + random.int(4) }, () => commitSomething(store, random, ledger));
          await Promise.all(writes);
          if (random.int(15) > 0) continue;
          folder.free = Number.POSITIVE_INFINITY;
          await store[Symbol.asyncDispose]();
          folder.restart();
          store = await openIn(folder);
          expect(ledger.refused).not.toContain(store.revision);
          // nobody has seen these, so they may be given out again
          ledger.refused.clear();
          expect([store.revision, contentOf(store)]).toEqual([
            ledger.acknowledged,
            ledger.states.get(ledger.acknowledged) ?? "",
          ]);
        }
        await store[Symbol.asyncDispose]();
      }),
      { numRuns: full ? 500 : 30, endOnFailure: true },
    );
  });

  test("whose sync fails once refuses that write, and all others if it cannot take it back", async () => {
    for (const repairable of [true, false]) {
      const folder = new ForgetfulFolder(seededRandom("sync"));
      const store = await openIn(folder);
      const put = (key: string): Promise<void> =>
        store.settled(
          store.commit([{ type: "put", collection: "items", key, expected: 0, object: item(key, "") }]).revision,
        );
      await put("a");
      let failures = repairable ? 1 : Number.POSITIVE_INFINITY;
      folder.failure = (operation, name) =>
        operation === "sync" && name.startsWith("log-") && failures-- > 0 ? "EIO" : undefined;
      await expect(put("b")).rejects.toThrow("the disk reports an error");
      folder.failure = () => undefined;
      if (repairable) await put("c");
      else await expect(put("c")).rejects.toThrow("nothing more is stored until the server is started again");
      await store[Symbol.asyncDispose]();
      folder.restart();
      await using again = await openIn(folder);
      const keys = again.list({ collection: "items", prefix: "", from: "" }).items.map(({ key }) => key);
      expect(keys).toEqual(repairable ? ["a", "c"] : ["a"]);
    }
  });
});
