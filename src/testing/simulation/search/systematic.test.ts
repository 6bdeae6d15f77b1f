import { expect, test } from "vitest";
import type { JournalEntry } from "../../../controller/index.js";
import type { Entry } from "../record.js";
import { Covered } from "./coverage.js";
import { systematicPlans } from "./systematic.js";

const actor = "operator-0";
const event = (number: number, kind: string, key: string, atMs: number): Entry => ({
  type: "event",
  atMs,
  actor,
  event: "ADDED",
  resource: `${kind.toLowerCase()}s`,
  kind,
  key,
  revision: `r${number}`,
  number,
});
const write = (number: number, atMs: number): Entry => ({
  type: "request",
  atMs,
  actor,
  target: { verb: "create", resource: "secrets", subresource: "", namespace: "default", name: "" },
  write: number,
  outcome: 201,
  revision: `w${number}`,
  changed: true,
});
const reconcile = (key: string, atMs: number, run: Partial<JournalEntry> = {}): Entry => ({
  type: "reconcile",
  atMs,
  actor,
  run: {
    run: 1,
    controller: "c",
    key,
    startedAt: 0,
    durationMs: 0,
    reasons: [],
    omittedReasons: 0,
    waitedMs: 0,
    reads: [],
    writes: [],
    omitted: 0,
    result: { type: "done" },
    ...run,
  },
});

const kinds = ["crash-after-write", "crash-before-write", "lose-answer", "lag", "unobserved"].map((name) => ({
  name,
  strikesOn: ["write"] as const,
}));
const tried = (entries: readonly Entry[], names = kinds) => {
  const profile = {
    writes: entries.filter((entry) => entry.type === "request").length,
    events: entries.filter((entry) => entry.type === "event").length,
  };
  const { plans, pruned } = systematicPlans(names, { entries, profile });
  const words = plans.map(({ faults }) =>
    faults.map(({ fault, at, forMs }) => `${fault} ${at.on} ${at.number}${forMs ? ` ${forMs}` : ""}`).join(" + "),
  );
  return { words, pruned };
};

test("each write is struck in each way; a crash before a write that directly follows another is one after that", () => {
  const { words, pruned } = tried([event(0, "Foo", "a", 1), write(0, 2), write(1, 3)], kinds.slice(0, 3));
  expect(words).toEqual([
    "crash-after-write write 0",
    "crash-before-write write 0",
    "lose-answer write 0",
    "crash-after-write write 1",
    "lose-answer write 1",
  ]);
  expect(pruned).toBe(1);
});

test("an event is held back past each later one of another kind that the same key depends on, and past each read of it", () => {
  const read = { kind: "Secret", key: "s", revision: "r0" };
  const { words } = tried(
    [
      event(0, "Secret", "s", 100),
      event(1, "Foo", "a", 300),
      reconcile("a", 900, { reads: [read] }),
      event(2, "Foo", "b", 1_000),
      reconcile("b", 1_100),
    ],
    kinds.slice(3, 4),
  );
  expect(words).toEqual([
    "lag event 0 220",
    "lag event 0 820",
    "lag event 0 5000",
    "lag event 1 5000",
    "lag event 2 5000",
  ]);
});

test("events that no reconcile read or was caused by are left out, unless there is no journal of reconciles", () => {
  const events = [event(0, "Foo", "a", 1), event(1, "Secret", "other", 2), event(2, "Secret", "cause", 3)];
  const reasons = [{ type: "added", kind: "Secret", key: "cause" }] as const;
  const { words, pruned } = tried([...events, reconcile("a", 9, { reasons })], kinds.slice(4));
  expect(words).toEqual(["unobserved event 0 5000", "unobserved event 2 5000"]);
  expect(pruned).toBe(2);
  expect(tried(events, kinds.slice(4)).words).toHaveLength(3);
});

test("a list from the cache depends on every object of its kind", () => {
  const reads = [{ kind: "Secret", key: "all in default", revision: "" }];
  const entries = [event(0, "Secret", "x", 1), event(1, "Secret", "y", 2), reconcile("a", 9, { reads })];
  expect(tried(entries, kinds.slice(4)).words).toHaveLength(2);
});

test("coverage: the writes that each fault struck, and the reads that an event's delay made stale", () => {
  const profile = { writes: 2, reads: 0, events: 1, lastMs: 0, changes: 0 };
  const reads = [
    { event: 0, afterMs: 100 },
    { event: 0, afterMs: 900 },
  ];
  const covered = new Covered(profile, { reads, pruned: 3 });
  covered.add([{ fault: "conflict", at: { on: "write", number: 1 } }]);
  covered.add([{ fault: "conflict", at: { on: "write", number: 7 } }]);
  covered.add([{ fault: "lag", at: { on: "event", number: 0 }, forMs: 500 }]);
  expect(covered.report).toEqual({
    writes: 2,
    events: 1,
    reads: 2,
    staleReads: [0],
    pruned: 3,
    struck: {
      conflict: { histories: 2, moments: 2, writes: [1] },
      lag: { histories: 1, moments: 1, writes: [] },
    },
  });
});
