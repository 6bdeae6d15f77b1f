import { expect, test, vi } from "vitest";
import { FakeClock, seededRandom, silentLogger } from "../../../base/index.js";
import type { KubeObject } from "../../../api/index.js";
import { ForgetfulFolder } from "../../../../test/storage/forgetful-folder.js";
import { Versions } from "../versions.js";
import { openStoreIn } from "./open.js";

const item = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Item", metadata: { name } }) as KubeObject;

const objects = 5000;

/** Calls `work` and gives the largest number of records that were handled in one turn of the event loop. */
async function mostInOneTurn(work: () => Promise<void>): Promise<{ readonly most: number; readonly all: number }> {
  let [most, all, inTurn] = [0, 0, 0];
  const count = (): void => {
    inTurn++;
    all++;
  };
  const { restore, redo } = Versions.prototype;
  vi.spyOn(Versions.prototype, "restore").mockImplementation(function (this: Versions, ...args) {
    count();
    restore.apply(this, args);
  });
  vi.spyOn(Versions.prototype, "redo").mockImplementation(function (this: Versions, ...args) {
    count();
    redo.apply(this, args);
  });
  let isDone = false;
  const tick = (): void => {
    most = Math.max(most, inTurn);
    inTurn = 0;
    if (!isDone) setImmediate(tick);
  };
  tick();
  try {
    await work();
  } finally {
    isDone = true;
    vi.restoreAllMocks();
  }
  return { most, all };
}

test.for(["a log", "a snapshot"])(
  "many small records in %s are read in portions, other work between them",
  async (from) => {
    const disk = new ForgetfulFolder(seededRandom("turns"));
    const options = { clock: new FakeClock(), log: silentLogger };
    {
      await using store = await openStoreIn(disk, from === "a log" ? options : { ...options, segmentBytes: 1000 });
      for (let i = 0; i < objects; i++) {
        store.commit([{ type: "put", collection: "items", key: `k${i}`, expected: 0, object: item(`k${i}`) }]);
      }
      await store.settled(store.revision);
      const isWritten = async (): Promise<boolean> => (await disk.names()).some((name) => /^snapshot-\d+$/.test(name));
      while (from === "a snapshot" && !(await isWritten())) await new Promise((resolve) => setImmediate(resolve));
    }
    const { most, all } = await mostInOneTurn(async () => {
      await using store = await openStoreIn(disk, options);
      expect(store.count("items")).toBe(objects);
    });
    expect(all).toBeGreaterThanOrEqual(objects);
    expect(most).toBeLessThanOrEqual(600);
  },
);
