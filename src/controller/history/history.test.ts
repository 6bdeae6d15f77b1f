import { describe, expect, test } from "vitest";
import { itemExponentialFailure } from "../../workqueue/index.js";
import { HotLoopBreaker, type LoopRun, type LoopWrite } from "./hot-loop.js";
import { explainEntry, Journal, type JournalEntry } from "./journal.js";
import { Retries } from "./retries.js";
import { rivalsOf } from "./rivals.js";

const retries = (maxFailures = Number.POSITIVE_INFINITY): Retries =>
  new Retries({ limiter: itemExponentialFailure({ baseMs: 100, maxMs: 10_000 }), maxFailures });
const now = (monotonic: number): { monotonic: number; wall: number } => ({ monotonic, wall: 1_000_000 + monotonic });

describe("retries", () => {
  test("each scheduled attempt that fails waits longer, and success starts again", () => {
    const memory = retries();
    expect(memory.failed("a", new Error("1"), now(0))).toEqual({ type: "retry", delayMs: 100, failures: 1 });
    expect(memory.failed("a", new Error("2"), now(100))).toEqual({ type: "retry", delayMs: 200, failures: 2 });
    memory.succeeded("a");
    expect([memory.failures("a"), memory.failed("a", new Error("3"), now(400))]).toEqual([
      0,
      { type: "retry", delayMs: 100, failures: 1 },
    ]);
  });

  test("a failure of a run that something else triggered neither counts nor moves the scheduled attempt", () => {
    const memory = retries();
    memory.failed("a", new Error("first"), now(0));
    for (let i = 1; i < 50; i++) {
      const verdict = memory.failed("a", new Error("storm"), now(i));
      expect(verdict).toEqual({ type: "retry", delayMs: 100 - i, failures: 1 });
    }
    expect(memory.failed("a", new Error("second"), now(100))).toEqual({ type: "retry", delayMs: 200, failures: 2 });
  });

  test("one failure too many makes a dead letter, which a change revives", () => {
    const memory = retries(2);
    memory.failed("a", new Error("boom"), now(0));
    expect(memory.failed("a", new Error("boom again"), now(100))).toEqual({ type: "dead", failures: 2 });
    expect(memory.deadLetters).toEqual([
      { key: "a", failures: 2, error: "boom again", why: "retry limit", since: 1_000_100 },
    ]);
    memory.revive("a");
    expect([memory.deadLetters, memory.failed("a", new Error("x"), now(200)).type]).toEqual([[], "retry"]);
  });

  test("a terminal error is a dead letter at once", () => {
    const memory = retries();
    expect(memory.terminal("a", new Error("never"), 7)).toEqual({ type: "dead", failures: 1 });
    expect(memory.deadLetters[0]?.why).toBe("terminal");
    memory.revive("a");
    expect(memory.deadCount).toBe(0);
  });
});

describe("hot loops", () => {
  const write = (revision: number, value = "v"): LoopWrite => ({
    kind: "Deployment",
    key: "default/x",
    revision: String(revision),
    fields: ["spec.replicas"],
    value,
    otherWriters: ["hpa", "kubectl"],
  });

  test("ten runs in a row that only the last one's writes woke are a loop, and each further one doubles the delay", () => {
    const breaker = new HotLoopBreaker({ writer: "foo" });
    const run = (i: number) =>
      breaker.ran("k", {
        reasons: [{ revision: String(i) }],
        writes: [write(i + 1, `v${i}`)],
        startedAt: i * 10,
        now: i * 10,
      });
    for (let i = 0; i < 10; i++) expect(run(i)).toBeUndefined();
    expect(run(10)).toMatchObject({
      why: "its own writes wake it",
      writers: ["foo"],
      fields: ["spec.replicas"],
      runs: 10,
      delayMs: 1000,
    });
    expect([breaker.delayMs("k", 100), breaker.slowed(100)]).toEqual([1000, ["k"]]);
    run(11);
    expect(breaker.delayMs("k", 110)).toBe(2000);
    breaker.ran("k", { reasons: [{ revision: "12" }], writes: [], startedAt: 200, now: 200 });
    expect([breaker.delayMs("k", 200), breaker.slowed(200)]).toEqual([0, []]);
  });

  test("runs that somebody else's changes woke are no loop of ours", () => {
    const breaker = new HotLoopBreaker({ writer: "foo" });
    for (let i = 0; i < 50; i++) {
      const run = { reasons: [{ revision: String(1000 + i) }], writes: [write(i, `v${i}`)], startedAt: i, now: i };
      expect(breaker.ran("k", run)).toBeUndefined();
    }
  });

  test("writing the same values again and again is a fight, and names both writers and the fields", () => {
    const breaker = new HotLoopBreaker({ writer: "foo" });
    const run = (i: number) =>
      breaker.ran("k", {
        reasons: [{ revision: String(1000 + i) }],
        writes: [write(i)],
        startedAt: i * 1000,
        now: i * 1000,
      });
    for (let i = 0; i < 4; i++) expect(run(i)).toBeUndefined();
    expect(run(4)).toEqual({
      key: "k",
      why: "another writer undoes its writes",
      object: "Deployment default/x",
      fields: ["spec.replicas"],
      writers: ["foo", "hpa"],
      runs: 5,
      delayMs: 1000,
    });
  });

  test("the echo of each write, for which there is nothing to do, ends no fight; a minute of peace does", () => {
    const breaker = new HotLoopBreaker({ writer: "foo" });
    const echo = (i: number) =>
      breaker.ran("k", {
        reasons: [{ revision: String(i) }],
        writes: [],
        startedAt: i * 1000 + 500,
        now: i * 1000 + 500,
      });
    const run = (i: number) =>
      breaker.ran("k", {
        reasons: [{ revision: String(1000 + i) }],
        writes: [write(i)],
        startedAt: i * 1000,
        now: i * 1000,
      });
    for (let i = 0; i < 4; i++) expect([run(i), echo(i)]).toEqual([undefined, undefined]);
    expect(breaker.suspects("k")).toBe(true);
    expect(run(4)).toMatchObject({ why: "another writer undoes its writes", delayMs: 1000 });
    echo(4);
    expect(breaker.delayMs("k", 5_000)).toBe(1000);
    // it goes on, as slowly as it was made to
    expect(run(40)).toMatchObject({ delayMs: 2000 });
    expect(breaker.delayMs("k", 101_000)).toBe(2000);
    expect([breaker.delayMs("k", 103_000), breaker.slowed(103_000)]).toEqual([0, []]);
    expect(run(200)).toBeUndefined();
  });

  test("values that go to and fro because we write both are no fight", () => {
    const breaker = new HotLoopBreaker({ writer: "foo" });
    for (let i = 0; i < 50; i++) {
      const run = {
        reasons: [{ revision: String(1000 + i) }],
        writes: [write(i, `v${i % 2}`)],
        startedAt: i * 100,
        now: i * 100,
      };
      expect(breaker.ran("k", run)).toBeUndefined();
    }
  });

  describe("a hundred runs in a row without a change, each soon after the one before, are a loop", () => {
    const run = (breaker: HotLoopBreaker, i: number, everyMs: number, reasons: LoopRun["reasons"] = [{}]) =>
      breaker.ran("k", { reasons, writes: [], startedAt: i * everyMs, now: i * everyMs });

    test("which is slowed down, more and more as long as it goes on, and free at the first change or pause", () => {
      const breaker = new HotLoopBreaker({ writer: "foo" });
      for (let i = 0; i < 99; i++) expect(run(breaker, i, 1)).toBeUndefined();
      expect(run(breaker, 99, 1)).toMatchObject({ why: "it comes again without a change", runs: 100, delayMs: 1000 });
      expect(breaker.slowed(99)).toEqual(["k"]);
      const next = (startedAt: number, reasons: LoopRun["reasons"] = [{}]) =>
        breaker.ran("k", { reasons, writes: [], startedAt, now: startedAt });
      expect(next(1_099)).toMatchObject({ delayMs: 2000 });
      expect(next(3_099)).toMatchObject({ delayMs: 4000 });
      expect(next(3_100, [{ revision: "7" }])).toBeUndefined();
      expect(breaker.slowed(3_100)).toEqual([]);
      for (let i = 0; i < 100; i++) next(10_000 + i);
      expect(breaker.slowed(10_100)).toEqual(["k"]);
      expect(next(13_000)).toBeUndefined();
      expect(breaker.slowed(13_000)).toEqual([]);
    });

    test("also if the echo of its own writes is among the reasons", () => {
      const breaker = new HotLoopBreaker({ writer: "foo" });
      const reports = Array.from({ length: 200 }, (_, i) =>
        breaker.ran("k", {
          reasons: i === 0 ? [{}] : [{}, { revision: String(i) }],
          writes: [write(i + 1, `v${i}`)],
          startedAt: i,
          now: i,
        }),
      );
      expect(reports.findIndex((report) => report !== undefined)).toBe(99);
    });

    test("but polling is none, and neither are runs that changes cause", () => {
      const breaker = new HotLoopBreaker({ writer: "foo" });
      for (let i = 0; i < 500; i++) expect(run(breaker, i, 51)).toBeUndefined();
      for (let i = 0; i < 500; i++) expect(run(breaker, i, 1, [{}, { revision: String(i) }])).toBeUndefined();
      for (let i = 0; i < 500; i++)
        expect(breaker.ran(`k${i}`, { reasons: [{}], writes: [], startedAt: i, now: i })).toBeUndefined();
    });
  });

  test("the same values now and then are no fight", () => {
    const breaker = new HotLoopBreaker({ writer: "foo" });
    for (let i = 0; i < 50; i++) {
      const run = {
        reasons: [{ revision: String(1000 + i) }],
        writes: [write(i)],
        startedAt: i * 20_000,
        now: i * 20_000,
      };
      expect(breaker.ran("k", run)).toBeUndefined();
    }
  });
});

describe("rivals", () => {
  const entry = (manager: string, time: string, fieldsV1: Readonly<Record<string, unknown>>) => ({
    manager,
    time,
    fieldsV1,
  });
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      managedFields: [
        entry("us", "2026-01-01T00:00:09Z", { "f:spec": { "f:replicas": {} } }),
        entry("kube-controller-manager", "2026-01-01T00:00:08Z", { "f:status": { "f:replicas": {} } }),
        entry("hpa", "2026-01-01T00:00:01Z", { "f:spec": { "f:replicas": {} } }),
        entry("kubectl", "2026-01-01T00:00:02Z", { "f:metadata": { "f:labels": {} } }),
      ],
    },
  } as const;

  test("are named with those first that have the fields in question, then the latest; never ourselves", () => {
    expect(rivalsOf(object, ["spec.replicas"], "us")).toEqual(["hpa", "kube-controller-manager", "kubectl"]);
    expect(rivalsOf(object, [], "us")).toEqual(["kube-controller-manager", "kubectl", "hpa"]);
    expect(rivalsOf({ ...object, metadata: { name: "web" } }, ["spec"], "us")).toEqual([]);
  });
});

describe("journal", () => {
  const entry = (run: number, change: Partial<JournalEntry> = {}): JournalEntry => ({
    run,
    controller: "foo",
    key: "default/x",
    startedAt: Date.UTC(2026, 0, 1),
    durationMs: 12,
    reasons: [
      {
        type: "updated",
        kind: "Deployment",
        key: "default/x",
        revision: "7",
        fields: ["status.availableReplicas 1→2"],
      },
    ],
    omittedReasons: 0,
    waitedMs: 0,
    reads: [{ kind: "Deployment", key: "default/x", revision: "7" }],
    writes: [
      {
        verb: "status",
        kind: "Foo",
        key: "default/x",
        fields: ["status.availableReplicas"],
        revision: "8",
        outcome: "done",
        at: 0,
      },
      { verb: "apply", kind: "Deployment", key: "default/x", fields: [], revision: "7", at: 0, outcome: "skipped" },
    ],
    omitted: 0,
    result: { type: "done", requeueAfterMs: 60_000 },
    ...change,
  });

  test("an entry reads as sentences", () => {
    expect(explainEntry(entry(3))).toBe(
      [
        "2026-01-01T00:00:00.000Z foo #3 reconciled default/x because Deployment default/x updated: status.availableReplicas 1→2",
        "  read Deployment default/x@7",
        "  status Foo default/x (status.availableReplicas) → 8",
        "  apply Deployment default/x: not sent, nothing would change",
        "  done, again in 60000 ms, after 12 ms",
      ].join("\n"),
    );
  });

  for (const [result, text] of [
    [{ type: "gone" }, "the object is gone after 12 ms"],
    [
      { type: "failed", error: "boom", stack: [], failures: 2, retryInMs: 10 },
      "failed (2 in a row): boom; retry in 10 ms, after 12 ms",
    ],
    [
      { type: "failed", error: "boom", stack: [], failures: 2 },
      "failed (2 in a row): boom; a retry is already due, after 12 ms",
    ],
    [{ type: "dead", error: "boom", stack: [], failures: 2 }, "given up: boom, after 12 ms"],
  ] as const) {
    test(`the end of a run reads: ${text}`, () => {
      expect(explainEntry(entry(1, { result })).split("\n").at(-1)).toBe(`  ${text}`);
    });
  }

  test("a failure is followed by where it was thrown and what caused it", () => {
    const stack = [
      "TypeError: boom",
      "  at reconcile (foo.ts:7:3)",
      "caused by Error: inner",
      "  at helper (foo.ts:9:5)",
    ];
    const text = explainEntry(entry(1, { result: { type: "dead", error: "boom", stack, failures: 1 } }));
    expect(text.split("\n").slice(-4)).toEqual(stack.map((line) => `    ${line}`));
  });

  test("it keeps a bounded number, finds by key and controller, and tells watchers", () => {
    const journal = new Journal(3);
    const seen: number[] = [];
    using _watching = journal.watch(({ run }) => void seen.push(run));
    for (let run = 1; run <= 5; run++) journal.add(entry(run, run === 4 ? { key: "default/y" } : {}));
    expect(journal.entries().map(({ run }) => run)).toEqual([3, 4, 5]);
    expect(journal.entries({ key: "default/y", controller: "foo" }).map(({ run }) => run)).toEqual([4]);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(journal.explain("default/z")).toBe("default/z: no reconcile is remembered\n");
  });
});
