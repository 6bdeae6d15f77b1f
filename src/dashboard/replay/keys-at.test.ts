import { expect, test } from "vitest";
import type { JournalEntry } from "../../controller/index.js";
import { figuresAt, keysAt } from "./keys-at.js";

const entry = (key: string, startedAt: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  run: startedAt,
  controller: "web",
  key,
  startedAt,
  durationMs: 10,
  waitedMs: 5,
  reasons: [{ type: "updated", kind: "Pod", key }],
  omittedReasons: 0,
  reads: [],
  writes: [],
  omitted: 0,
  result: { type: "done" },
  ...more,
});

const failed = { type: "failed", error: "the vault is sealed", stack: [], failures: 2, retryInMs: 100 } as const;

const journal = [
  entry("a", 100),
  entry("b", 200, { result: failed }),
  entry("c", 210, { result: { type: "dead", error: "no", stack: [], failures: 1 } }),
  entry("d", 220, { result: { type: "done", requeueAfterMs: 1_000 } }),
  entry("e", 230, { controller: "other" }),
  entry("b", 400),
];

const rows = (state: Parameters<typeof keysAt>[1]["state"], at: number) =>
  keysAt(journal, { controller: "web", state, limit: 10, at }).rows;

test.each([
  ["waiting before its run", "ready", 97, [{ key: "a", forMs: 2 }]],
  ["running until its end", "running", 104, [{ key: "a", forMs: 4 }]],
  ["nothing after it", "running", 110, []],
  [
    "failing with its error until the next try",
    "failing",
    260,
    [{ key: "b", error: failed.error, failures: 2, dueInMs: 50 }],
  ],
  ["waiting again after a failure", "ready", 396, [{ key: "b", failures: 2 }]],
  ["failing no more after a success", "failing", 420, []],
  ["given up", "dead", 300, [{ key: "c", error: "no", since: 220 }]],
  ["delayed with a countdown", "delayed", 300, [{ key: "d", dueInMs: 930 }]],
  ["not known before its first change", "ready", 50, []],
] as const)("a key is %s", (_, state, at, expected) => {
  const found = rows(state, at);
  expect(found).toHaveLength(expected.length);
  expect(found).toMatchObject(expected);
});

test("figures count the keys of each state, and the last error is that of the moment", () => {
  const facts = [{ name: "web", kind: "Pod", concurrency: 3 }];
  expect(figuresAt(journal, facts, 300)).toMatchObject([
    { name: "web", concurrency: 3, failing: 1, dead: 1, delayed: 1, active: 0, runs: 4, lastError: { key: "c" } },
  ]);
  expect(figuresAt(journal, facts, 150)[0]).not.toHaveProperty("lastError");
});

test("keys are found by text, page by page", () => {
  const many = Array.from({ length: 50 }, (_, i) => entry(`pod-${i}`, 100, { result: failed }));
  const found = keysAt(many, { controller: "web", state: "failing", text: "pod-1", offset: 2, limit: 3, at: 150 });
  expect([found.total, found.rows.map(({ key }) => key)]).toEqual([11, ["pod-11", "pod-12", "pod-13"]]);
});
