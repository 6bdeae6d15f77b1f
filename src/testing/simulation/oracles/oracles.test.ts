import { describe, expect, test } from "vitest";
import type { History } from "../history.js";
import type { Oracle } from "../oracle.js";
import type { Entry } from "../record.js";
import { defaultOracles } from "./index.js";

const calm: History = {
  plan: { seed: "0", faults: [] },
  entries: [],
  profile: { writes: 0, reads: 0, events: 0, lastMs: 0, changes: 0 },
  struck: [],
  scenarioError: undefined,
  settled: true,
  end: new Map(),
  facts: { asked: [], created: [], hasLeases: false },
  restWrites: [],
  harm: [],
  contradictions: [],
  leases: [],
  leftTimers: 0,
  unhandled: [],
  endMs: 60_000,
  exits: [],
  deadLetters: [],
  failing: [],
  hotLoops: [],
  violations: [],
  virtualMs: 0,
};

const write = (atMs: number, resource = "secrets", changed = true): Entry => ({
  type: "request",
  atMs,
  actor: "operator-0",
  target: { verb: "update", resource, subresource: "", namespace: "n", name: "a" },
  write: 0,
  outcome: 200,
  revision: "1",
  changed,
});

const writes = (count: number, atMs: number, changed = true): readonly Entry[] =>
  Array.from({ length: count }, () => write(atMs, "secrets", changed));

const failures = (count: number, fromMs: number, everyMs: number): readonly Entry[] =>
  Array.from({ length: count }, (_, index) => ({
    ...(write(fromMs + index * everyMs, "secrets", false) as Extract<Entry, { readonly type: "request" }>),
    outcome: 403,
  }));

const deletions = (count: number): readonly Entry[] =>
  Array.from({ length: count }, (_, number) => ({
    type: "event",
    atMs: 0,
    actor: "operator-0",
    event: "DELETED",
    resource: "secrets",
    kind: "Secret",
    key: "n/a",
    revision: String(number),
    number,
  }));

function asDeletion(entry: Entry): Entry {
  if (entry.type !== "request") throw new Error("not a request");
  return { ...entry, target: { ...entry.target, verb: "delete" } };
}

function complaints(history: Partial<History>): readonly string[] {
  const reference = { ...calm, entries: [write(0)] };
  return defaultOracles
    .filter((oracle: Oracle) => (oracle.judge?.({ history: { ...calm, ...history }, reference }) ?? []).length > 0)
    .map(({ name }) => name);
}

test("nobody complains of a calm history", () => {
  expect(complaints({})).toEqual([]);
});

describe("each oracle complains of its own fault alone", () => {
  const deleting = { metadata: { deletionTimestamp: "<time>", finalizers: ["f"] } };
  const orphan = { metadata: { ownerReferences: [{ uid: "1234", kind: "Foo", name: "a" }] } };
  const struck = [{ fault: "crash", at: { on: "time", number: 0 } }] as const;
  const leases = { asked: [], created: [], hasLeases: true };
  test.each<readonly [string, Partial<History>, readonly string[]]>([
    ["a scenario that fails", { scenarioError: "no" }, ["scenario-ends"]],
    ["an operator that never rests", { settled: false }, ["converges"]],
    ["another end", { end: new Map([["Secret n/a", {}]]) }, ["same-end"]],
    ["harm", { harm: ["x"] }, ["harms-nobody"]],
    ["a deletion that is stuck", { end: new Map([["Secret n/a", deleting]]) }, ["same-end", "nothing-stuck"]],
    ["an orphan", { end: new Map([["Secret n/a", orphan]]) }, ["same-end", "no-orphans"]],
    ["a dead letter", { deadLetters: ["x"] }, ["no-dead-letter"]],
    ["a key that fails", { failing: ["x"] }, ["nothing-fails"]],
    ["a hot loop", { hotLoops: ["x"] }, ["no-hot-loop"]],
    ["writes of a new process", { restWrites: [write(0)] }, ["rests-when-done"]],
    ["very many writes", { entries: writes(60, 0) }, ["bounded-writes"]],
    ["writes that answer deletions by others", { entries: [...writes(60, 0), ...deletions(30)] }, []],
    [
      "writes that answer its own deletions",
      { entries: [...writes(30, 0), ...deletions(30), ...writes(30, 0).map(asDeletion)] },
      ["bounded-writes"],
    ],
    ["writes without an effect at the end", { entries: writes(60, 59_000, false) }, ["keeps-still"]],
    ["a failing write that is sent all the time", { entries: failures(60, 20_000, 100) }, ["backs-off"]],
    ["a failing write that is sent now and then", { entries: failures(60, 0, 900) }, []],
    ["another kind", { entries: [write(0, "pods")] }, ["touches-nobody-else"]],
    ["an exit", { exits: ["x"] }, ["stays-alive"]],
    ["an exit of a leader under faults", { exits: ["x"], facts: leases, struck }, []],
    ["an error that nobody handles", { unhandled: ["x"] }, ["no-unhandled-errors"]],
    ["a lease too many", { leases: ["n/a"] }, ["no-lease-leaks"]],
    ["a timer", { leftTimers: 1 }, ["no-timer-leaks"]],
  ])("%s", (_, history, oracles) => {
    expect(complaints(history)).toEqual(oracles);
  });
});

describe("one-at-a-time", () => {
  const judge = (history: History, reference = calm): readonly string[] =>
    defaultOracles.find(({ name }) => name === "one-at-a-time")?.judge?.({ history, reference }) ?? [];
  const actors = ["operator-0", "operator-1"] as const;
  /** A run of a replica, with the times and revisions of its writes. */
  const run = (replica: 0 | 1, [beganMs, endedMs]: readonly [number, number], writes: readonly number[]): Entry[] => {
    const actor = actors[replica];
    const requests = writes.map((atMs) => ({ ...write(atMs), actor, revision: String(atMs) }) as Entry);
    const facts = { run: 1, controller: "c", key: "n/a", startedAt: 0, waitedMs: 0, omittedReasons: 0, omitted: 0 };
    const written = writes.map((atMs) => ({
      verb: "update",
      kind: "Secret",
      key: "n/a",
      revision: String(atMs),
      outcome: "done",
    }));
    const rest = { reasons: [], reads: [], writes: written, result: { type: "done" } };
    const entry = { ...facts, ...rest, durationMs: endedMs - beganMs };
    return [...requests, { type: "reconcile", atMs: endedMs, actor, run: entry } as unknown as Entry];
  };
  /** The same, and before it a write that the server had just so, since this time. */
  const afterUnchanged = (entries: readonly Entry[], since: number): Entry[] =>
    entries.map((entry) => {
      if (entry.type !== "reconcile") return entry;
      const unchanged = { verb: "apply", kind: "Secret", key: "n/b", revision: String(since), outcome: "unchanged" };
      return { ...entry, run: { ...entry.run, writes: [unchanged, ...entry.run.writes] } } as unknown as Entry;
    });
  const history = (...runs: readonly Entry[][]): History => ({
    ...calm,
    facts: { ...calm.facts, hasLeases: true },
    entries: runs.flat(),
  });

  test("two runs of one key, of which one writes amid the other's", () => {
    expect(judge(history(run(0, [0, 100], [10, 90]), run(1, [40, 60], [50])))).toEqual([
      "c reconciled n/a on operator-0 and on operator-1 at once: the one began at 0.010 s and wrote until 0.090 s, the other wrote at 0.050 s",
    ]);
    // a single late write is enough
    expect(judge(history(run(0, [0, 100], [90]), run(1, [40, 60], [50])))).toHaveLength(1);
  });

  test.each([
    ["runs one after the other", history(run(0, [0, 40], [10, 30]), run(1, [50, 90], [60, 80]))],
    ["a paused run that wrote nothing more", history(run(0, [0, 100], [10]), run(1, [40, 60], [50]))],
    [
      "a run that finds its earlier write in place",
      history(run(0, [0, 20], [10]), run(1, [40, 60], [50]), afterUnchanged(run(0, [80, 100], [90]), 10)),
    ],
    ["runs of one replica", history(run(0, [0, 100], [10, 90]), run(0, [40, 60], [50]))],
    [
      "an operator without leases",
      { ...history(run(0, [0, 100], [10, 90]), run(1, [40, 60], [50])), facts: calm.facts },
    ],
  ])("%s are well", (_, innocent) => {
    expect(judge(innocent)).toEqual([]);
  });

  test("a controller that does it without faults does it by design", () => {
    const both = history(run(0, [0, 100], [10, 90]), run(1, [40, 60], [50]));
    expect(judge(both, { ...both })).toEqual([]);
  });
});

test("a claim that is deleted and made again has lost its data, unless somebody asked for it", () => {
  const removal = (actor: "operator-0" | "somebody"): Entry => {
    const target = {
      verb: "delete" as const,
      resource: "persistentvolumeclaims",
      subresource: "",
      namespace: "n",
      name: "a",
    };
    return { ...(write(0) as Extract<Entry, { readonly type: "request" }>), actor, target };
  };
  const keepsData = defaultOracles.find(({ name }) => name === "keeps-data");
  const complaints = (entries: readonly Entry[], usual: readonly Entry[] = []) =>
    keepsData?.judge?.({ history: { ...calm, entries }, reference: { ...calm, entries: usual } });
  const own = removal("operator-0");
  expect(complaints([own])).toEqual(["persistentvolumeclaims n/a: deleted 1 times, and 0 times without faults"]);
  expect(complaints([own], [own])).toEqual([]);
  expect(complaints([own, own], [own])).toHaveLength(1);
  expect(complaints([own, removal("somebody")])).toEqual([]);
});
