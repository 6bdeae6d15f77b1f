import { expect, test } from "vitest";
import type { JournalEntry, KeyRow } from "../../controller/index.js";
import { withRivals } from "./rivals.js";

const wrote = (controller: string, key: string, fields: readonly string[]): JournalEntry => ({
  run: 1,
  controller,
  key,
  startedAt: 0,
  durationMs: 1,
  waitedMs: 0,
  reasons: [],
  omittedReasons: 0,
  reads: [],
  writes: [{ verb: "patch", kind: "ConfigMap", key, fields, revision: "7", outcome: "done", at: 0 }],
  omitted: 0,
  result: { type: "done" },
});

const looping = (why: NonNullable<KeyRow["loop"]>["why"], writers: readonly string[]): KeyRow => ({
  key: "default/a",
  state: "slowed",
  failures: 0,
  reasons: [],
  omittedReasons: 0,
  loop: {
    key: "default/a",
    why,
    object: "ConfigMap default/a",
    fields: ["data.colour"],
    writers,
    runs: 5,
    delayMs: 1_000,
  },
});

test("the rival of a looping key is the other controller that writes the same field of the same object", () => {
  const entries = [
    wrote("red", "default/a", ["data.colour"]),
    wrote("blue", "default/a", ["data.colour"]),
    wrote("other-field", "default/a", ["data.size"]),
    wrote("other-object", "default/b", ["data.colour"]),
  ];
  const writers = (row: KeyRow) => withRivals([row], "red", entries).map(({ loop }) => loop?.writers);
  expect(writers(looping("another writer undoes its writes", ["red"]))).toEqual([["red", "blue"]]);
  expect(writers(looping("another writer undoes its writes", ["red", "kubectl"]))).toEqual([["red", "kubectl"]]);
  expect(writers(looping("its own writes wake it", ["red"]))).toEqual([["red"]]);
});
