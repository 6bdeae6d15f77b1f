import { expect, test } from "vitest";
import { FakeClock } from "../../../base/index.js";
import { Views } from "./views.js";

const { signal } = new AbortController();

async function shownAt(clock: FakeClock, views: Views, resource: string): Promise<string> {
  const shown = views.shown(resource, signal).then((end) => `${end} at ${clock.monotonic()}`);
  await clock.advance(10_000);
  return shown;
}

test("events of a held resource come when the spell is over; those of others at once", async () => {
  const clock = new FakeClock();
  const views = new Views(clock);
  views.hold({ resource: "pods", forMs: 500, end: "deliver" });
  expect(await Promise.all([shownAt(clock, views, "pods"), views.shown("nodes", signal)])).toEqual([
    "deliver at 500",
    "deliver",
  ]);
});

test("after spells that overlap, a single `gone` among them ends the watch", async () => {
  const clock = new FakeClock();
  const views = new Views(clock);
  views.hold({ forMs: 500, end: "gone" });
  views.hold({ resource: "pods", forMs: 900, end: "deliver" });
  expect(await shownAt(clock, views, "pods")).toBe("gone at 900");
});

test("bookmarks are withheld for their time", async () => {
  const clock = new FakeClock();
  const views = new Views(clock);
  expect(views.hasBookmarks).toBe(true);
  views.withholdBookmarks(100);
  expect(views.hasBookmarks).toBe(false);
  await clock.advance(100);
  expect(views.hasBookmarks).toBe(true);
});
