import { expect, test } from "vitest";
import { FakeClock } from "../base/index.js";
import { ConsistencyStore, StaleCacheError } from "./consistency.js";
import { Expectations } from "./expectations.js";

test("a key that expects nothing is satisfied, and one that does when all was seen", () => {
  const expectations = new Expectations();
  expect(expectations.satisfied("a")).toBe(true);
  expectations.expectCreations("a", 2);
  expect([expectations.satisfied("a"), expectations.satisfied("b")]).toEqual([false, true]);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(false);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(true);
});

test("a deletion is counted once, however often it is seen, and only if it was expected", () => {
  const expectations = new Expectations();
  expectations.expectDeletions("a", ["p", "q"]);
  expectations.deletionObserved("a", "p");
  expectations.deletionObserved("a", "p");
  expectations.deletionObserved("a", "stranger");
  expect(expectations.satisfied("a")).toBe(false);
  expectations.deletionObserved("a", "q");
  expect(expectations.satisfied("a")).toBe(true);
});

test("creations and deletions are waited for together, and more may be seen than were expected", () => {
  const expectations = new Expectations();
  expectations.expect("a", 1, ["p"]);
  expectations.creationObserved("a", 3);
  expect(expectations.satisfied("a")).toBe(false);
  expectations.deletionObserved("a", "p");
  expect(expectations.satisfied("a")).toBe(true);
});

test("what is expected anew replaces what was", () => {
  const expectations = new Expectations();
  expectations.expectDeletions("a", ["p"]);
  expectations.expectCreations("a", 1);
  expectations.creationObserved("a");
  expect(expectations.satisfied("a")).toBe(true);
});

test("after five minutes unmet expectations count as met", async () => {
  const clock = new FakeClock();
  const expectations = new Expectations({ clock });
  expectations.expectCreations("a", 1);
  await clock.advance(5 * 60_000);
  expect(expectations.satisfied("a")).toBe(false);
  await clock.advance(1);
  expect(expectations.satisfied("a")).toBe(true);
});

test("a namesake of an owner that is gone starts clean", () => {
  const expectations = new Expectations();
  expectations.expectCreations("a", 5);
  expectations.forget("a");
  expect(expectations.satisfied("a")).toBe(true);
});

test("a sync waits until the caches have seen what the last one wrote; longer revisions are newer", () => {
  const pods = { lastStoreSyncResourceVersion: "99" };
  const store = new ConsistencyStore({ pods });
  store.wrote("a", "uid", { resource: "pods", resourceVersion: "100" });
  store.wrote("a", "uid", { resource: "pods", resourceVersion: "98" });
  expect(() => store.ensureReady("a")).toThrow(
    new StaleCacheError("read version 99 is not as new as written version 100 for group resource pods", "pods"),
  );
  store.ensureReady("another");
  pods.lastStoreSyncResourceVersion = "100";
  store.ensureReady("a");
  pods.lastStoreSyncResourceVersion = "1";
  store.ensureReady("a");
});

test("what cannot be compared blocks nobody, and another owner of the name starts anew", () => {
  const pods = { lastStoreSyncResourceVersion: "" };
  const store = new ConsistencyStore({ pods });
  store.wrote("a", "uid", { resource: "pods", resourceVersion: "7" });
  store.ensureReady("a");
  pods.lastStoreSyncResourceVersion = "1";
  store.wrote("a", "uid", { resource: "pods", resourceVersion: "x" });
  store.wrote("a", "uid", { resource: "pods", resourceVersion: undefined });
  store.ensureReady("a");
  store.wrote("a", "first", { resource: "pods", resourceVersion: "9" });
  store.forget("a", "second");
  expect(() => store.ensureReady("a")).toThrow(StaleCacheError);
  store.wrote("a", "second", { resource: "pods", resourceVersion: "1" });
  store.ensureReady("a");
});
