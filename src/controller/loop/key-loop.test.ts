import { expect, test } from "vitest";
import { type KubeObject, Pod } from "../../api/index.js";
import { FakeClock, startRunning } from "../../base/index.js";
import { itemExponentialFailure } from "../../workqueue/index.js";
import { Journal } from "../history/journal.js";
import { InterruptedError, TerminalError } from "../reconcile.js";
import { KeyLoop } from "./key-loop.js";
import type { KeyLoopOptions } from "./options.js";
import type { KeyRun } from "./key-run.js";

function loopOf(options: Pick<KeyLoopOptions, "sync"> & Partial<KeyLoopOptions>) {
  const clock = new FakeClock();
  const journal = new Journal();
  const loop = new KeyLoop({ name: "pods", kind: "Pod", workers: 1, host: { clock, journal }, ...options });
  return { clock, journal, loop };
}

const podAt = (revision: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", uid: "1", resourceVersion: revision },
});

const creating = { verb: "create", type: Pod, namespace: "default" } as const;
const deleting = { verb: "delete", type: Pod, namespace: "default", name: "p" } as const;

test("a key waits for its own writes without failing, and its reasons are kept", async () => {
  const pods = { type: Pod, indexer: { get: () => undefined, lastStoreSyncResourceVersion: "6" } };
  const create = (run: KeyRun) => run.write(creating, async () => podAt("7"));
  let syncs = 0;
  const { clock, journal, loop } = loopOf({
    awaits: [pods],
    async sync(run) {
      syncs++;
      if (syncs === 1) await create(run);
    },
  });
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(0);
  loop.add("default/a", { reason: { type: "manual", message: "look" } });
  await clock.advance(1_000);
  expect([syncs, loop.snapshot().failing]).toEqual([1, []]);
  pods.indexer.lastStoreSyncResourceVersion = "7";
  await clock.advance(20);
  expect(journal.explain("default/a")).toContain("create Pod default/p → 7");
  expect(journal.entries().at(-1)?.reasons).toEqual([{ type: "manual", message: "look" }]);
});

test("a deletion is awaited as of the object that the cache had when it was sent", async () => {
  let cached: KubeObject | undefined = podAt("1");
  const pods = { type: Pod, indexer: { get: () => cached, lastStoreSyncResourceVersion: "9" } };
  const seen: boolean[] = [];
  const { clock, loop } = loopOf({
    awaits: [pods],
    async sync(run) {
      if (seen.length === 0) await run.write(deleting, async () => ({ kind: "Status", metadata: {} }));
      seen.push(run.caughtUp);
    },
  });
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(0);
  loop.add("default/a");
  await clock.advance(1_000);
  expect(seen).toEqual([false]);
  cached = undefined;
  await clock.advance(20);
  expect(seen).toEqual([false, true]);
});

test("a key that keeps failing is a dead letter, until it is woken", async () => {
  let syncs = 0;
  const { clock, loop } = loopOf({
    maxFailures: 3,
    async sync() {
      syncs++;
      throw new Error("always");
    },
  });
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(60_000);
  expect([syncs, loop.snapshot().deadLetters]).toMatchObject([3, [{ key: "default/a", why: "retry limit" }]]);
  loop.add("default/a");
  await clock.advance(60_000);
  expect(syncs).toBe(6);
});

test("a dead letter that runs again because an earlier run asked for it is failing or dead, never both", async () => {
  let syncs = 0;
  const { clock, loop } = loopOf({
    limiter: itemExponentialFailure({ baseMs: 60_000, maxMs: 60_000 }),
    async sync() {
      syncs++;
      if (syncs === 1) return { requeueAfterMs: 1_000 };
      throw syncs === 2 ? new TerminalError("bad spec") : new Error("refused");
    },
  });
  await using _closed = loop;
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(0);
  loop.add("default/a");
  await clock.advance(0);
  expect(loop.snapshot()).toMatchObject({ failing: [], deadLetters: [{ key: "default/a", why: "terminal" }] });
  await clock.advance(1_000);
  expect(loop.snapshot()).toMatchObject({ failing: [{ key: "default/a", failures: 1 }], deadLetters: [] });
});

test("a run that may not go on here is no failure of its key, and is tried again without haste", async () => {
  let syncs = 0;
  const { clock, loop } = loopOf({
    async sync() {
      syncs++;
      if (syncs < 3) throw new InterruptedError("this process does not lead");
    },
  });
  await using _closed = loop;
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(0);
  expect([syncs, loop.snapshot().failing]).toEqual([1, []]);
  await clock.advance(2_000);
  expect([syncs, loop.snapshot().failing]).toEqual([3, []]);
});

test("the keys that fail when a term ends are no failures of the next one, which begins with them", async () => {
  const failures: number[] = [];
  const { clock, loop } = loopOf({
    limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
    async sync({ facts }) {
      failures.push(facts.failures);
      if (failures.length < 3) throw new Error("refused");
    },
  });
  await using _closed = loop;
  {
    await using _firstTerm = startRunning((signal) => loop.run({ signal }));
    loop.add("default/a");
    await clock.advance(1_000);
    expect(loop.snapshot().failing).toMatchObject([{ key: "default/a", failures: 2 }]);
  }
  expect(loop.snapshot().failing).toEqual([]);
  await using _secondTerm = startRunning((signal) => loop.run({ signal }));
  await clock.advance(0);
  expect(failures).toEqual([0, 1, 0]);
});

test("a retry that was merged with an earlier wake is not lost if that run fails too", async () => {
  const ranAt: number[] = [];
  const { clock, loop } = loopOf({
    limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
    async sync() {
      ranAt.push(clock.monotonic() - start);
      if (ranAt.length < 3) throw new Error("refused");
    },
  });
  const start = clock.monotonic();
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a", {}, 990);
  loop.add("default/a");
  await clock.advance(60_000);
  expect([ranAt, loop.snapshot().failing]).toEqual([[0, 990, 1_000], []]);
});

test("a key that is added without a reason runs, though the queue merges it with a retry that is over", async () => {
  let syncs = 0;
  const { clock, loop } = loopOf({
    limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
    async sync() {
      syncs++;
      if (syncs === 1) throw new Error("refused");
    },
  });
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(0);
  loop.add("default/a");
  await clock.advance(0);
  loop.add("default/a", {}, 500);
  await clock.advance(60_000);
  expect(syncs).toBe(3);
});

test("a write that failed is in the journal", async () => {
  const { clock, journal, loop } = loopOf({
    maxFailures: 1,
    sync: (run) =>
      run.write(creating, async () => {
        throw new Error("refused");
      }),
  });
  await using _running = startRunning((signal) => loop.run({ signal }));
  loop.add("default/a");
  await clock.advance(0);
  expect(journal.entries()[0]?.writes).toMatchObject([{ verb: "create", kind: "Pod", outcome: "failed" }]);
});
