import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../base/index.js";
import { DelayingQueue } from "./delaying.js";

const never = new AbortController().signal;
const drain = (queue: DelayingQueue<string>): string[] => {
  const keys: string[] = [];
  for (let work = queue.tryGet(); work !== undefined; work = queue.tryGet()) {
    keys.push(work.key);
    work.done();
  }
  return keys;
};

describe("delaying queue", () => {
  test("a key is added after its delay, not before", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    const waiting = queue.get({ signal: never });
    queue.addAfter("a", 50);
    expect([queue.length, queue.snapshot().delayed[0]?.dueInMs]).toEqual([0, 50]);
    await clock.advance(49);
    expect(queue.snapshot().held).toEqual([]);
    await clock.advance(1);
    expect((await waiting)?.key).toBe("a");
  });

  test("a delay that is not positive adds at once", () => {
    const queue = new DelayingQueue<string>({ clock: new FakeClock() });
    expect([queue.addAfter("a", 0), queue.addAfter("b", -5)]).toEqual([true, true]);
    expect(() => queue.addAfter("c", Number.NaN)).toThrow("a key cannot be added after NaN ms");
    expect(drain(queue)).toEqual(["a", "b"]);
  });

  for (const [first, second] of [
    [10, 30],
    [30, 10],
  ] as const) {
    test(`of ${first} and then ${second} ms the earlier counts, and the key runs once`, async () => {
      const clock = new FakeClock();
      const queue = new DelayingQueue<string>({ clock });
      expect([queue.addAfter("a", first), queue.addAfter("a", second)]).toEqual([true, second < first]);
      await clock.advance(10);
      expect(drain(queue)).toEqual(["a"]);
      await clock.advance(100);
      expect(drain(queue)).toEqual([]);
    });
  }

  test("an add now does not cancel the delayed one", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("a", 10);
    queue.add("a");
    expect(drain(queue)).toEqual(["a"]);
    await clock.advance(10);
    expect(drain(queue)).toEqual(["a"]);
  });

  test("thousands of waiting keys share one timer", () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    for (let i = 0; i < 5000; i++) queue.addAfter(`key-${i}`, 1 + ((i * 7919) % 5000));
    expect(clock.pendingTimers).toBe(1);
    queue.shutDown();
    expect(clock.pendingTimers).toBe(0);
  });

  test("a jump of the wall clock changes nothing, and delays beyond 2^31 ms are kept", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("soon", 10);
    queue.addAfter("late", 2 ** 31 + 10);
    clock.jumpWall(-3_600_000);
    await clock.advance(10);
    expect(drain(queue)).toEqual(["soon"]);
    clock.jumpWall(2 ** 33);
    await clock.advance(2 ** 31 - 1);
    expect(drain(queue)).toEqual([]);
    await clock.advance(1);
    expect(drain(queue)).toEqual(["late"]);
  });

  test("a delay without end waits without a timer", () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("a", Number.POSITIVE_INFINITY);
    expect([clock.pendingTimers, queue.snapshot().delayed.length]).toEqual([0, 1]);
  });

  test("what still waits at a shutdown is dropped, and nothing is accepted afterwards", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("a", 10);
    await queue.shutDownWithDrain({ signal: never });
    expect(queue.addAfter("b", 0)).toBe(false);
    await clock.advance(10);
    expect(await queue.get({ signal: never })).toBeUndefined();
  });

  test("reasons and the greatest priority of delayed adds reach the worker", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("a", 10, { reason: { type: "retry", message: "boom" }, priority: 2 });
    queue.addAfter("a", 20, { reason: { type: "requeue" }, priority: 5 });
    expect(queue.snapshot().delayed).toEqual([
      {
        key: "a",
        dueInMs: 10,
        priority: 5,
        requeues: 0,
        reasons: [{ type: "retry", message: "boom" }, { type: "requeue" }],
        omittedReasons: 0,
      },
    ]);
    await clock.advance(10);
    const work = queue.tryGet();
    expect([work?.priority, work?.reasons.map(({ type }) => type)]).toEqual([5, ["retry", "requeue"]]);
  });

  test("an add without a priority has priority 0, whether it is the first of a delayed key or a later one", async () => {
    const clock = new FakeClock();
    const queue = new DelayingQueue<string>({ clock });
    queue.addAfter("first", 10);
    queue.addAfter("first", 20, { priority: -100 });
    queue.addAfter("later", 10, { priority: -100 });
    queue.addAfter("later", 5);
    await clock.advance(10);
    expect([queue.tryGet()?.priority, queue.tryGet()?.priority]).toEqual([0, 0]);
  });

  test("delayed adds count as retries in the metrics", () => {
    const metrics = new MetricsRegistry();
    const queue = new DelayingQueue<string>({ name: "q", metrics, clock: new FakeClock() });
    queue.addAfter("a", 10);
    queue.addAfter("b", 0);
    expect(metrics.expose()).toContain('workqueue_retries_total{name="q"} 2\n');
    queue.shutDown();
  });
});

test("any run of add, addAfter, waiting and taking does what a sorted array does", async () => {
  const operation = fc.oneof(
    fc.record({ type: fc.constant("add" as const), key: fc.constantFrom("a", "b", "c", "d") }),
    fc.record({
      type: fc.constant("after" as const),
      key: fc.constantFrom("a", "b", "c", "d"),
      ms: fc.integer({ min: -1, max: 20 }),
    }),
    fc.record({ type: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 15 }) }),
    fc.record({ type: fc.constant("take" as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const clock = new FakeClock();
      const queue = new DelayingQueue<string>({ clock });
      let ready: string[] = [];
      let delayed: { key: string; at: number; nth: number }[] = [];
      let nth = 0;
      const enqueue = (key: string): void => {
        if (!ready.includes(key)) ready.push(key);
      };
      for (const step of operations) {
        if (step.type === "add") {
          queue.add(step.key);
          enqueue(step.key);
        } else if (step.type === "after") {
          queue.addAfter(step.key, step.ms);
          const at = clock.monotonic() + step.ms;
          const known = delayed.find(({ key }) => key === step.key);
          if (step.ms <= 0) enqueue(step.key);
          else if (known === undefined) delayed.push({ key: step.key, at, nth: nth++ });
          else known.at = Math.min(known.at, at);
        } else if (step.type === "wait") {
          await clock.advance(step.ms);
          const due = delayed.filter(({ at }) => at <= clock.monotonic()).sort((a, b) => a.at - b.at || a.nth - b.nth);
          delayed = delayed.filter((item) => !due.includes(item));
          for (const { key } of due) enqueue(key);
        } else {
          const work = queue.tryGet();
          expect(work?.key).toBe(ready[0]);
          ready = ready.slice(1);
          work?.done();
        }
        expect(queue.snapshot().ready.map(({ key }) => key)).toEqual(ready);
        expect(clock.pendingTimers).toBe(delayed.length > 0 ? 1 : clock.pendingTimers);
      }
      queue.shutDown();
      expect(clock.pendingTimers).toBe(0);
    }),
  );
});
