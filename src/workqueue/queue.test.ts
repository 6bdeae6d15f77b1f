import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../base/index.js";
import { Queue, type QueueSnapshot, type Work } from "./queue.js";

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes a key that must be in the queue. */
function take<K>(queue: { tryGet(): Work<K> | undefined }): Work<K> {
  const work = queue.tryGet();
  if (work === undefined) throw new Error("nothing is ready");
  return work;
}

/** The invariants that can be seen from outside. */
function assertSound(snapshot: QueueSnapshot<unknown>): void {
  const ready = snapshot.ready.map(({ key }) => key);
  const held = snapshot.held.map(({ key }) => key);
  expect(new Set(ready).size).toBe(ready.length);
  expect(new Set(held).size).toBe(held.length);
  expect(ready.filter((key) => held.includes(key))).toEqual([]);
}

describe("queue", () => {
  test("keys come out in the order in which they were added", () => {
    const queue = new Queue<string>();
    for (const key of ["a", "b", "c"]) queue.add(key);
    expect([take(queue).key, take(queue).key, take(queue).key, queue.tryGet()]).toEqual(["a", "b", "c", undefined]);
  });

  test("a key added while it waits is not added twice", () => {
    const queue = new Queue<string>();
    queue.add("a");
    queue.add("b");
    queue.add("a");
    expect(queue.length).toBe(2);
    expect([take(queue).key, take(queue).key, queue.tryGet()]).toEqual(["a", "b", undefined]);
  });

  test("a key added while held runs once more, after done, however often it was added", () => {
    const queue = new Queue<string>();
    queue.add("a");
    const work = take(queue);
    for (let i = 0; i < 3; i++) queue.add("a");
    expect([queue.length, queue.tryGet()]).toEqual([0, undefined]);
    work.done();
    expect(queue.length).toBe(1);
    take(queue).done();
    expect(queue.tryGet()).toBeUndefined();
  });

  test("a key that runs again goes to the end of the line", () => {
    const queue = new Queue<string>();
    queue.add("a");
    const work = take(queue);
    queue.add("a");
    queue.add("b");
    work.done();
    expect([take(queue).key, take(queue).key]).toEqual(["b", "a"]);
  });

  test("being done twice does nothing the second time", () => {
    const queue = new Queue<string>();
    queue.add("a");
    const first = take(queue);
    first.done();
    queue.add("a");
    const second = take(queue);
    queue.add("a");
    first.done();
    expect([queue.length, queue.snapshot().held.length]).toEqual([0, 1]);
    second.done();
    expect(queue.length).toBe(1);
  });

  test("leaving the block of a `using` is done", () => {
    const queue = new Queue<string>();
    queue.add("a");
    {
      using work = take(queue);
      expect(work.key).toBe("a");
      expect(queue.snapshot().held).toHaveLength(1);
    }
    expect(queue.snapshot().held).toHaveLength(0);
  });
});

describe("waiting in get", () => {
  test("get waits for a key, and those who wait are served first come, first served", async () => {
    const queue = new Queue<string>();
    const first = queue.get({ signal: never });
    const second = queue.get({ signal: never });
    queue.add("a");
    queue.add("b");
    expect([(await first)?.key, (await second)?.key]).toEqual(["a", "b"]);
  });

  test("all that a synchronous section adds takes part in the order before any of it is given away", async () => {
    const queue = new Queue<string>();
    const waiting = queue.get({ signal: never });
    queue.add("a", { reason: { type: "added" } });
    queue.add("a", { reason: { type: "updated" } });
    expect(queue.length).toBe(1);
    expect((await waiting)?.reasons.map(({ type }) => type)).toEqual(["added", "updated"]);
  });

  test("an aborted get rejects with the reason, and takes no key with it", async () => {
    const queue = new Queue<string>();
    const stop = new AbortController();
    const aborted = queue.get({ signal: stop.signal });
    const other = queue.get({ signal: never });
    queue.add("a");
    stop.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect((await other)?.key).toBe("a");
    await expect(queue.get({ signal: stop.signal })).rejects.toThrow("enough");
  });
});

describe("shutdown", () => {
  test("after shutDown nothing is accepted, what is queued is given out, then get gives undefined", async () => {
    const queue = new Queue<string>();
    queue.add("a");
    queue.shutDown();
    queue.add("b");
    expect(queue.shuttingDown).toBe(true);
    expect((await queue.get({ signal: never }))?.key).toBe("a");
    expect(await queue.get({ signal: never })).toBeUndefined();
  });

  test("shutDown wakes those who wait", async () => {
    const queue = new Queue<string>();
    const waiting = [queue.get({ signal: never }), queue.get({ signal: never })];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  test("a key added again while held is queued at done, even while shutting down", async () => {
    const queue = new Queue<string>();
    queue.add("a");
    const work = take(queue);
    queue.add("a");
    queue.shutDown();
    work.done();
    expect((await queue.get({ signal: never }))?.key).toBe("a");
  });

  test("ShutDownWithDrain waits for what is in flight", async () => {
    const queue = new Queue<string>();
    queue.add("a");
    queue.add("b");
    const works = [take(queue), take(queue)];
    const drained = recorded(queue.shutDownWithDrain({ signal: never }));
    works[0]?.done();
    await turn();
    expect(drained.settled).toBe(false);
    works[1]?.done();
    await turn();
    expect(drained.settled).toBe(true);
  });

  test("shutDownWithDrain waits for the second run of a key that was added while it was held", async () => {
    const queue = new Queue<string>();
    queue.add("a");
    const work = take(queue);
    queue.add("a");
    const drained = recorded(queue.shutDownWithDrain({ signal: never }));
    work.done();
    await turn();
    expect(drained.settled).toBe(false);
    take(queue).done();
    await turn();
    expect(drained.settled).toBe(true);
  });

  test("shutDownWithDrain does not wait for keys that no worker has begun", async () => {
    const queue = new Queue<string>();
    queue.add("a");
    await queue.shutDownWithDrain({ signal: never });
    expect(queue.length).toBe(1);
  });

  test("shutDown ends the wait of an earlier shutDownWithDrain; so does its signal", async () => {
    const queue = new Queue<string>();
    queue.add("a");
    take(queue);
    const stop = new AbortController();
    const aborted = queue.shutDownWithDrain({ signal: stop.signal });
    stop.abort(new Error("too long"));
    await expect(aborted).rejects.toThrow("too long");
    const drained = queue.shutDownWithDrain({ signal: never });
    queue.shutDown();
    await drained;
  });
});

describe("reasons", () => {
  test("reasons survive de-duplication, of one object the newest stands for all, and those added while held go to the second run", () => {
    const queue = new Queue<string>();
    queue.add("a", { reason: { type: "added", kind: "Foo", key: "default/a", revision: "1" } });
    queue.add("a", { reason: { type: "updated", kind: "Deployment", key: "default/d", revision: "2", fields: ["x"] } });
    queue.add("a", { reason: { type: "updated", kind: "Deployment", key: "default/d", revision: "3", fields: ["y"] } });
    const work = take(queue);
    queue.add("a", { reason: { type: "manual" } });
    expect(work.reasons).toEqual([
      { type: "added", kind: "Foo", key: "default/a", revision: "1" },
      { type: "updated", kind: "Deployment", key: "default/d", revision: "3", fields: ["x", "y"] },
    ]);
    work.done();
    expect(take(queue).reasons).toEqual([{ type: "manual" }]);
  });

  test("a key carries at most eight reasons, and counts the others", () => {
    const queue = new Queue<string>();
    for (let i = 0; i < 11; i++) queue.add("a", { reason: { type: "updated", key: String(i) } });
    const { reasons, omittedReasons } = take(queue);
    expect([reasons.map(({ key }) => key), omittedReasons]).toEqual([["0", "1", "2", "3", "4", "5", "6", "7"], 3]);
  });
});

describe("metrics and snapshot", () => {
  test("a named queue reports under the names of the field", async () => {
    const clock = new FakeClock();
    const metrics = new MetricsRegistry();
    const queue = new Queue<string>({ name: "foos", clock, metrics });
    queue.add("a");
    queue.add("a");
    queue.add("b");
    await clock.advance(2000);
    const work = take(queue);
    queue.add("a");
    await clock.advance(3000);
    const lines = metrics.expose().split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        'workqueue_adds_total{name="foos"} 3',
        'workqueue_depth{name="foos",priority=""} 2',
        'workqueue_queue_duration_seconds_bucket{name="foos",le="1"} 0',
        'workqueue_queue_duration_seconds_bucket{name="foos",le="10"} 1',
        'workqueue_unfinished_work_seconds{name="foos"} 3',
        'workqueue_longest_running_processor_seconds{name="foos"} 3',
        'workqueue_retries_total{name="foos"} 0',
      ]),
    );
    work.done();
    expect(metrics.expose()).toContain('workqueue_work_duration_seconds_sum{name="foos"} 3\n');
    expect(metrics.expose()).toContain('workqueue_unfinished_work_seconds{name="foos"} 0\n');
  });

  test("a snapshot tells what waits, what runs, for how long and why", async () => {
    const clock = new FakeClock();
    const queue = new Queue<string>({ name: "foos", clock });
    queue.add("a", { reason: { type: "added" } });
    queue.add("b", { priority: 3 });
    await clock.advance(10);
    take(queue);
    queue.add("a");
    await clock.advance(5);
    expect(queue.snapshot()).toEqual({
      name: "foos",
      shuttingDown: false,
      ready: [{ key: "b", priority: 3, reasons: [], omittedReasons: 0, waitedMs: 15 }],
      held: [{ key: "a", priority: 0, reasons: [{ type: "added" }], omittedReasons: 0, heldMs: 5, again: true }],
      delayed: [],
    });
  });
});

test("any run of add, get and done does what two sets and an array do", () => {
  const operation = fc.oneof(
    fc.record({ type: fc.constant("add" as const), key: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ type: fc.constant("get" as const) }),
    fc.record({ type: fc.constant("done" as const), which: fc.nat(5) }),
    fc.record({ type: fc.constant("shutDown" as const) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const queue = new Queue<number>();
      const held: Work<number>[] = [];
      const model = { queue: [] as number[], dirty: new Set<number>(), processing: [] as number[], shut: false };
      for (const step of operations) {
        if (step.type === "add") {
          queue.add(step.key);
          if (!model.shut && !model.dirty.has(step.key)) {
            model.dirty.add(step.key);
            if (!model.processing.includes(step.key)) model.queue.push(step.key);
          }
        } else if (step.type === "get") {
          const work = queue.tryGet();
          const expected = model.queue.shift();
          expect(work?.key).toBe(expected);
          if (work !== undefined) held.push(work);
          if (expected !== undefined) {
            model.dirty.delete(expected);
            model.processing.push(expected);
          }
        } else if (step.type === "done" && held.length > 0) {
          const at = step.which % held.length;
          const [work] = held.splice(at, 1);
          const [key] = model.processing.splice(at, 1);
          work?.done();
          if (key !== undefined && model.dirty.has(key)) model.queue.push(key);
        } else if (step.type === "shutDown") {
          queue.shutDown();
          model.shut = true;
        }
        expect(queue.length).toBe(model.queue.length);
        expect(queue.snapshot().ready.map(({ key }) => key)).toEqual(model.queue);
        assertSound(queue.snapshot());
      }
    }),
  );
});

function recorded(promise: Promise<unknown>): { settled: boolean } {
  const record = { settled: false };
  void promise.then(() => {
    record.settled = true;
  });
  return record;
}
