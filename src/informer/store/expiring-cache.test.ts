import { expect, test } from "vitest";
import { FakeClock } from "../../base/index.js";
import { ExpiringCache } from "./expiring-cache.js";

test("a value is good up to its time and not beyond, and setting it again begins anew", async () => {
  const clock = new FakeClock();
  const cache = new ExpiringCache<string, number>({ ttlMs: 1_000, clock });
  cache.set("a", 1);
  cache.set("b", 2, { ttlMs: 5_000 });
  cache.set("c", 3, { ttlMs: Number.POSITIVE_INFINITY });
  await clock.advance(1_000);
  expect([cache.get("a"), cache.has("a")]).toEqual([1, true]);
  cache.set("b", 2);
  await clock.advance(1);
  expect([cache.has("a"), cache.get("a"), cache.get("b"), cache.size]).toEqual([false, undefined, 2, 2]);
  await clock.advance(1_000_000);
  expect(cache.entries()).toEqual([["c", 3]]);
});

test("what is expired leaves when it is collected, asked for or looked through", async () => {
  const clock = new FakeClock();
  const cache = new ExpiringCache<number, string>({ ttlMs: 10, clock });
  for (let key = 0; key < 3; key++) cache.set(key, "x");
  await clock.advance(11);
  cache.set(3, "y");
  expect([cache.size, cache.gc(), cache.size, cache.entries()]).toEqual([4, 3, 1, [[3, "y"]]]);
});

test("of too many, the one that was used longest ago leaves", () => {
  const cache = new ExpiringCache<string, number>({ ttlMs: 10, maxEntries: 2, clock: new FakeClock() });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect(cache.entries()).toEqual([
    ["a", 1],
    ["c", 3],
  ]);
  expect([cache.delete("a"), cache.delete("a")]).toEqual([true, false]);
  cache.clear();
  expect(cache.size).toBe(0);
});

test("a time that is none is refused", () => {
  expect(() => new ExpiringCache({ ttlMs: Number.NaN })).toThrow(RangeError);
  expect(() => new ExpiringCache<string, number>({ ttlMs: 1 }).set("a", 1, { ttlMs: -1 })).toThrow(RangeError);
});
