import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "./clock.js";

const dayMs = 86_400_000;

describe("systemClock", () => {
  // Node's own timers, moved by hand; like the real ones they turn a wait of 2^31 ms or more into 1 ms
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("waits longer than 2^31 ms, and calls once", async () => {
    const calls: number[] = [];
    systemClock.timer(60 * dayMs, () => calls.push(systemClock.monotonic()));
    const start = systemClock.monotonic();
    await vi.advanceTimersByTimeAsync(60 * dayMs - 2);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(calls.map((at) => at - start)).toEqual([60 * dayMs]);
    await vi.advanceTimersByTimeAsync(60 * dayMs);
    expect(calls.length).toBe(1);
  });

  test("a disposed timer never fires, also in a later step of a long wait", async () => {
    const fired = vi.fn();
    const timer = systemClock.timer(60 * dayMs, fired);
    await vi.advanceTimersByTimeAsync(30 * dayMs);
    timer[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(60 * dayMs);
    expect([fired.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test.each([0, -5])("a wait of %d ms fires, but not synchronously", async (ms) => {
    const fired = vi.fn();
    systemClock.timer(ms, fired);
    expect(fired).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(fired).toHaveBeenCalledOnce();
  });

  test("an aborted sleep rejects with the reason at once and leaves no timer", async () => {
    const stop = new AbortController();
    const sleeping = systemClock.sleep(1000, stop.signal);
    stop.abort(new Error("enough"));
    await expect(sleeping).rejects.toThrow("enough");
    await expect(systemClock.sleep(1000, stop.signal)).rejects.toThrow("enough");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a sleep that ends leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const sleeping = systemClock.sleep(5, signal);
    await vi.advanceTimersByTimeAsync(5);
    await sleeping;
    expect(removed).toHaveBeenCalledOnce();
  });
});
