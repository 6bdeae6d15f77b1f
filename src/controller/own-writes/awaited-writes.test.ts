import { expect, test } from "vitest";
import { type KubeObject, Pod } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { AwaitedWrites } from "./awaited-writes.js";

function cacheOf(objects: Record<string, KubeObject["metadata"]>, lastStoreSyncResourceVersion: string) {
  const indexer = {
    lastStoreSyncResourceVersion,
    get: (key: string): KubeObject | undefined =>
      objects[key] && { apiVersion: "v1", kind: "Pod", metadata: objects[key] },
  };
  return { type: Pod, indexer };
}

test("a key waits until the cache has reached the highest revision that its run wrote", () => {
  const pods = cacheOf({}, "99");
  const awaited = new AwaitedWrites([pods]);
  awaited.wrote("default/a", pods, "100");
  awaited.wrote("default/a", pods, "98");
  expect([awaited.behind("default/a"), awaited.behind("default/b")]).toEqual([Pod, undefined]);
  pods.indexer.lastStoreSyncResourceVersion = "100";
  expect(awaited.behind("default/a")).toBeUndefined();
});

test("revisions are compared as numbers, and those that are none are not awaited", () => {
  const pods = cacheOf({}, "9");
  const awaited = new AwaitedWrites([pods]);
  awaited.wrote("a", pods, "10");
  awaited.wrote("b", pods, "opaque");
  awaited.wrote("c", pods, undefined);
  expect(["a", "b", "c"].map((key) => awaited.behind(key))).toEqual([Pod, undefined, undefined]);
});

test.each<[string, Record<string, KubeObject["metadata"]>, boolean]>([
  ["is still in the cache", { "default/p": { name: "p", uid: "1" } }, true],
  ["is told to go", { "default/p": { name: "p", uid: "1", deletionTimestamp: "2026-01-01T00:00:00Z" } }, false],
  ["is gone", {}, false],
  ["has a successor of its name", { "default/p": { name: "p", uid: "2" } }, false],
])("a deleted object that %s is awaited: %#", (_how, objects, isAwaited) => {
  const pods = cacheOf(objects, "1");
  const awaited = new AwaitedWrites([pods]);
  awaited.deleted("default/a", pods, { key: "default/p", uid: "1" });
  expect(awaited.behind("default/a") !== undefined).toBe(isAwaited);
});

test("after five minutes a write counts as one that the cache will never show", async () => {
  const clock = new FakeClock();
  const pods = cacheOf({}, "1");
  const awaited = new AwaitedWrites([pods], clock);
  awaited.wrote("a", pods, "2");
  await clock.advance(5 * 60_000);
  expect(awaited.behind("a")).toBe(Pod);
  await clock.advance(1);
  expect(awaited.behind("a")).toBeUndefined();
});
