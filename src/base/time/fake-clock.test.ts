import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.js";

const forever = new AbortController().signal;

describe("FakeClock", () => {
  test("fires timers in the order of their due times, and of their making when those are equal", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -3, max: 20 })), async (waits) => {
        const clock = new FakeClock();
        const fired: { i: number; at: number }[] = [];
        for (const [i, ms] of waits.entries()) clock.timer(ms, () => fired.push({ i, at: clock.monotonic() }));
        await clock.advance(20);
        const expected = waits
          .map((ms, i) => ({ i, at: Math.max(ms, 0) }))
          .toSorted((a, b) => a.at - b.at || a.i - b.i);
        expect(fired).toEqual(expected);
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });

  test("moves hours, firing timers that were made on the way", async () => {
    const clock = new FakeClock({ startMs: 1_000 });
    const ticks: number[] = [];
    const stop = new AbortController();
    const ticking = (async () => {
      for (;;) {
        await clock.sleep(60_000, stop.signal);
        ticks.push(clock.now());
      }
    })();
    await clock.advance(5 * 3_600_000);
    expect([ticks.length, ticks[0], ticks.at(-1)]).toEqual([300, 61_000, 18_001_000]);
    stop.abort(new Error("over"));
    await expect(ticking).rejects.toThrow("over");
    expect(clock.pendingTimers).toBe(0);
  });

  test("drains microtasks and immediates between two timers, also of one due time", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    clock.timer(5, () => {
      seen.push("first");
      void Promise.resolve()
        .then(() => {})
        .then(() => seen.push("its promise"));
      setImmediate(() => seen.push("its immediate"));
    });
    clock.timer(5, () => seen.push("second"));
    await clock.advance(5);
    expect(seen).toEqual(["first", "its promise", "its immediate", "second"]);
  });

  test("does not overtake a chain of immediates, however long", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) await turn();
      seen.push(`done at ${clock.monotonic()}`);
    };
    clock.timer(5, () => void chain());
    clock.timer(5, () => seen.push("second"));
    clock.timer(6, () => seen.push("third"));
    await clock.advance(10);
    expect(seen).toEqual(["done at 5", "second", "third"]);
  });

  test("two clocks that advance at once do not wait for each other", async () => {
    const fired = [0, 0];
    const clocks = fired.map((_, index) => {
      const clock = new FakeClock();
      const tick = (): void => {
        fired[index] = (fired[index] ?? 0) + 1;
        clock.timer(1, tick);
      };
      clock.timer(1, tick);
      return clock;
    });
    await Promise.all(clocks.map((clock) => clock.advance(2_000)));
    expect(fired).toEqual([2_000, 2_000]);
    for (const clock of clocks) clock.abandon();
  });

  test("work that never ends does not hold time for ever", async () => {
    const clock = new FakeClock();
    let isOver = false;
    const spin = (): void => void (isOver || setImmediate(spin));
    spin();
    let fired = false;
    clock.timer(1, () => (fired = true));
    await clock.advance(1);
    isOver = true;
    expect(fired).toBe(true);
  });

  test("settles first, so that what a test has just caused gets to set its timers", async () => {
    const clock = new FakeClock();
    let woken = false;
    void (async () => {
      await Promise.resolve();
      await clock.sleep(10, forever);
      woken = true;
    })();
    await clock.advance(10);
    expect(woken).toBe(true);
  });

  test("a disposed timer does not fire, also when its neighbour disposes it", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    clock.timer(5, () => {
      fired.push("a");
      b[Symbol.dispose]();
    });
    const b = clock.timer(5, () => fired.push("b"));
    await clock.advance(10);
    expect(fired).toEqual(["a"]);
  });

  test("jumping the wall moves now alone", async () => {
    const clock = new FakeClock({ startMs: 1_000 });
    const fired: number[] = [];
    clock.timer(10, () => fired.push(clock.monotonic()));
    clock.jumpWall(-500);
    expect([clock.now(), clock.monotonic(), clock.nextTimerMs]).toEqual([500, 0, 10]);
    await clock.advance(10);
    expect([fired, clock.now()]).toEqual([[10], 510]);
  });

  test("refuses to advance while it advances", async () => {
    const clock = new FakeClock();
    const first = clock.advance(5);
    await expect(clock.advance(5)).rejects.toThrow("already advancing");
    await first;
    await clock.advance(5);
    expect(clock.monotonic()).toBe(10);
  });

  test("a throwing callback fails the advance, at the time at which it threw", async () => {
    const clock = new FakeClock();
    clock.timer(3, () => {
      throw new Error("bad callback");
    });
    await expect(clock.advance(10)).rejects.toThrow("bad callback");
    expect(clock.monotonic()).toBe(3);
  });

  test.each([-1, Number.NaN])("refuses to advance by %d", async (ms) => {
    await expect(new FakeClock().advance(ms)).rejects.toThrow(
      `the time to advance by must be a number from 0 on, not ${ms}`,
    );
  });

  test("passes time in steps, to the very moment, so that work of many turns keeps up with it", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const work = (async () => {
      for (let round = 0; round < 3; round++) {
        for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
        seen.push(clock.monotonic());
      }
    })();
    let due = false;
    clock.timer(1_000.1, () => (due = true));
    await clock.pass(1_000.1);
    await work;
    expect([due, clock.monotonic(), clock.pendingTimers]).toEqual([true, 1_000.1, 0]);
    expect(Math.max(...seen)).toBeLessThan(500);
  });

  test("abandon drops what is pending", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    clock.timer(1, () => fired.push("a"));
    clock.abandon();
    await clock.advance(5);
    expect([fired, clock.pendingTimers]).toEqual([[], 0]);
  });
});
