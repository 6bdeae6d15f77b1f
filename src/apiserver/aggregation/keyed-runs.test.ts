import { expect, test } from "vitest";
import { FakeClock, silentLogger } from "../../base/index.js";
import { KeyedRuns } from "./keyed-runs.js";

function harness(run: (key: string, signal: AbortSignal) => Promise<boolean>): {
  readonly clock: FakeClock;
  readonly runs: KeyedRuns;
} {
  const clock = new FakeClock();
  const { signal: stopping } = new AbortController();
  const options = { clock, log: silentLogger, stopping, everyMs: 1_000, retryMs: 100 };
  return { clock, runs: new KeyedRuns({ ...options, run }) };
}

test("a key runs when it is woken, and again after a while", async () => {
  const keys: string[] = [];
  const { clock, runs } = harness(async (key) => keys.push(key) > 0);
  await using _ = runs;
  runs.wake("a");
  await clock.advance(2_500);
  expect(keys).toEqual(["a", "a", "a"]);
});

test("a key that fails runs again soon, then later and later", async () => {
  const at: number[] = [];
  const { clock, runs } = harness(async () => {
    at.push(clock.monotonic());
    if (at.length === 2) throw new Error("also a failure");
    return false;
  });
  await using _ = runs;
  const start = clock.monotonic();
  runs.wake("a");
  await clock.advance(2_600);
  expect(at.map((time) => time - start)).toEqual([0, 100, 300, 700, 1_500, 2_500]);
});

test("a key that is woken during its run runs once more afterwards, and never twice at once", async () => {
  let [open, most, count] = [0, 0, 0];
  const { clock, runs } = harness(async () => {
    most = Math.max(most, ++open);
    count++;
    await clock.sleep(10, new AbortController().signal);
    open--;
    return true;
  });
  await using _ = runs;
  for (let i = 0; i < 5; i++) runs.wake("a");
  await clock.advance(500);
  expect({ most, count }).toEqual({ most: 1, count: 2 });
});

test("a key that is dropped runs no more, and its run is told", async () => {
  const told: string[] = [];
  const { clock, runs } = harness(
    (key, signal) => new Promise((resolve) => signal.addEventListener("abort", () => (told.push(key), resolve(false)))),
  );
  runs.wake("a");
  runs.drop("a");
  expect(told).toEqual(["a"]);
  await runs[Symbol.asyncDispose]();
  await clock.advance(10_000);
  expect(told).toEqual(["a"]);
});
