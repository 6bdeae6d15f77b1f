import { expect, test } from "vitest";
import { causesOf } from "./causes.js";
import type { JournalEntry, JournalWrite } from "./journal.js";

interface Step {
  readonly controller: string;
  readonly key: string;
  readonly because: readonly [kind: string, key: string, revision: string][];
  readonly wrote?: readonly [kind: string, key: string, revision: string][];
}

const journalOf = (steps: readonly Step[]): JournalEntry[] =>
  steps.map(({ controller, key, because, wrote = [] }, i) => ({
    run: i,
    controller,
    key,
    startedAt: i,
    durationMs: 1,
    waitedMs: 0,
    reasons: because.map(([kind, name, revision]) => ({ type: "updated", kind, key: name, revision })),
    omittedReasons: 0,
    reads: [],
    writes: wrote.map(
      ([kind, name, revision]): JournalWrite => ({
        verb: "update",
        kind,
        key: name,
        fields: [],
        revision,
        outcome: "done",
        at: 0,
      }),
    ),
    omitted: 0,
    result: { type: "done" },
  }));

const rollout = journalOf([
  {
    controller: "deployment",
    key: "web",
    because: [["Deployment", "web", "10"]],
    wrote: [["ReplicaSet", "web-1", "11"]],
  },
  {
    controller: "replicaset",
    key: "web-1",
    because: [["ReplicaSet", "web-1", "11"]],
    wrote: [["Pod", "web-1-a", "12"]],
  },
  { controller: "endpoints", key: "web", because: [["Pod", "web-1-a", "12"]], wrote: [["Endpoints", "web", "13"]] },
  { controller: "deployment", key: "other", because: [["Deployment", "other", "14"]] },
]);

const chainFor = (kind: string, key: string, limit = 100) =>
  causesOf(rollout, { kind, key, controllers: new Set(kind === "Deployment" ? ["deployment"] : []), limit });

test("the chain is found from its first object, from its last one, and from the middle", () => {
  for (const [kind, key] of [
    ["Deployment", "web"],
    ["Endpoints", "web"],
    ["Pod", "web-1-a"],
  ] as const) {
    const { runs, links } = chainFor(kind, key);
    expect(runs.map(({ controller }) => controller)).toEqual(["deployment", "replicaset", "endpoints"]);
    expect(links.map(({ from, to, revision }) => [from?.controller, to.controller, revision])).toEqual([
      [undefined, "deployment", "10"],
      ["deployment", "replicaset", "11"],
      ["replicaset", "endpoints", "12"],
    ]);
  }
});

test("a change that no remembered run wrote has no writer, and a run of another object is no part", () => {
  expect(chainFor("Deployment", "other").links).toMatchObject([{ from: undefined, kind: "Deployment", key: "other" }]);
  expect(chainFor("Deployment", "none")).toEqual({ runs: [], links: [] });
});

test("no more runs than the limit are given", () => {
  expect(chainFor("Deployment", "web", 2).runs).toHaveLength(2);
});

test("a change by somebody else of an object that a run created goes back to that run, and says so", () => {
  const journal = journalOf([
    {
      controller: "replicaset",
      key: "web-1",
      because: [["ReplicaSet", "web-1", "11"]],
      wrote: [["Pod", "web-1-a", "12"]],
    },
    { controller: "endpoints", key: "web", because: [["Pod", "web-1-a", "19"]] },
  ]);
  const created = journal.map((entry) => ({
    ...entry,
    writes: entry.writes.map((one) => ({ ...one, verb: "create" as const })),
  }));
  const target = { kind: "ReplicaSet", key: "web-1", controllers: new Set<string>(), limit: 10 };
  expect(causesOf(created, target).links).toMatchObject([
    { from: undefined },
    { from: { controller: "replicaset" }, to: { controller: "endpoints" }, how: "created" },
  ]);
  expect(causesOf(journal, target).runs).toHaveLength(1);
});
