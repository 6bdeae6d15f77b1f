import { describe, expect, test } from "vitest";
import { abortable, createLogger, FakeClock, seededRandom } from "../base/index.js";
import { itemExponentialFailure } from "./rate-limiters.js";
import { RateLimitingQueue } from "./rate-limiting.js";
import { runWorkers } from "./run-workers.js";

function setup() {
  const clock = new FakeClock();
  const queue = new RateLimitingQueue<string>(itemExponentialFailure({ baseMs: 5, maxMs: 1000 }), { clock });
  const stop = new AbortController();
  return { clock, queue, stop, signal: stop.signal };
}

describe("runWorkers", () => {
  test("a throw is reported, retried after the limiter's delay with the error as the reason, and success forgets", async () => {
    const { clock, queue, stop, signal } = setup();
    const runs: unknown[] = [];
    const errors: string[] = [];
    const running = runWorkers({
      queue,
      signal,
      clock,
      log: createLogger({ format: "json", write: (line) => errors.push(line) }),
      async sync(key, { reasons }) {
        runs.push([clock.monotonic(), key, reasons.map(({ type, message }) => [type, message])]);
        if (runs.length < 3) throw new Error(`failure ${runs.length}`);
      },
    });
    queue.add("a", { reason: { type: "added" } });
    await clock.advance(100);
    expect(runs).toEqual([
      [0, "a", [["added", undefined]]],
      [5, "a", [["retry", "failure 1"]]],
      [15, "a", [["retry", "failure 2"]]],
    ]);
    expect(errors.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: "error", key: "a", requeues: 1, error: "failure 1" },
      { level: "error", key: "a", requeues: 2, error: "failure 2" },
    ]);
    expect([queue.numRequeues("a"), queue.snapshot().held]).toEqual([0, []]);
    stop.abort();
    await running;
  });

  test("a key is held by at most one worker; nothing added is lost", async () => {
    const { clock, queue, stop, signal } = setup();
    const random = seededRandom(7);
    const active = new Set<string>();
    const seen = new Map<string, number>();
    const wanted = new Map<string, number>();
    let most = 0;
    const running = runWorkers({
      queue,
      workers: 5,
      signal,
      clock,
      async sync(key) {
        expect(active.has(key)).toBe(false);
        active.add(key);
        most = Math.max(most, active.size);
        seen.set(key, wanted.get(key) ?? 0);
        await clock.sleep(random.int(20), new AbortController().signal);
        active.delete(key);
      },
    });
    for (let i = 1; i <= 500; i++) {
      const key = `key-${random.int(8)}`;
      wanted.set(key, i);
      queue.add(key);
      if (random.int(3) === 0) await clock.advance(random.int(10));
    }
    await clock.advance(1000);
    expect(seen).toEqual(wanted);
    expect(most).toBe(5);
    stop.abort();
    await running;
  });

  test("it ends when the queue is shut down and empty", async () => {
    const { clock, queue, signal } = setup();
    const keys: string[] = [];
    queue.add("a");
    queue.add("b");
    queue.shutDown();
    await runWorkers({ queue, workers: 2, signal, clock, sync: async (key) => void keys.push(key) });
    expect(keys.sort()).toEqual(["a", "b"]);
  });

  test("on abort nothing more is taken, what is in flight finishes, and the queue can be worked on again", async () => {
    const { clock, queue, stop, signal } = setup();
    const finished: string[] = [];
    const sync = async (key: string): Promise<void> => {
      await clock.sleep(100, new AbortController().signal);
      finished.push(key);
    };
    queue.add("a");
    queue.add("b");
    const running = runWorkers({ queue, signal, clock, sync });
    await clock.advance(50);
    stop.abort();
    await clock.advance(100);
    await running;
    expect([finished, queue.length, clock.pendingTimers]).toEqual([["a"], 1, 0]);
    const again = new AbortController();
    const resumed = runWorkers({ queue, signal: again.signal, clock, sync });
    await clock.advance(100);
    expect(finished).toEqual(["a", "b"]);
    again.abort();
    await resumed;
  });

  test("what does not finish in time is told to stop by its signal, and the run rejects with its keys", async () => {
    const { clock, queue, stop, signal } = setup();
    let told: unknown;
    queue.add("stuck");
    const running = runWorkers({
      queue,
      signal,
      clock,
      graceMs: 200,
      sync: (_key, run) =>
        abortable(new Promise<never>(() => {}), run.signal).catch((error: unknown) => {
          told = error;
        }),
    });
    const failed = expect(running).rejects.toThrow("still running 200 ms after the stop: stuck");
    await clock.advance(1);
    stop.abort();
    await clock.advance(199);
    expect(told).toBeUndefined();
    await clock.advance(1);
    await failed;
    expect(String(told)).toContain("still running");
  });

  test("syncs that never wait still leave the event loop free", async () => {
    const queue = new RateLimitingQueue<number>();
    const stop = new AbortController();
    let runs = 0;
    const running = runWorkers({
      queue,
      signal: stop.signal,
      sync(key) {
        runs += 1;
        queue.add(key);
      },
    });
    queue.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await running;
    expect(runs).toBeGreaterThan(0);
  });
});
