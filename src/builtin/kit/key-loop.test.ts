import { expect, test } from "vitest";
import { Pod, ReplicaSet } from "../../api/index.js";
import { FakeClock, MetricsRegistry, silentLogger, startRunning } from "../../base/index.js";
import { StaleCacheError } from "../../controller/consistency.js";
import type { ControllerContext } from "./context.js";
import { KeyLoop } from "./key-loop.js";

function contextOf(clock: FakeClock, metrics: MetricsRegistry): ControllerContext {
  return { clock, metrics, log: silentLogger } as unknown as ControllerContext;
}

test("a sync that a cache behind holds up is counted, and tried again a little later without counting as a failure", async () => {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  let syncs = 0;
  const loop = new KeyLoop({
    context: contextOf(clock, metrics),
    name: "replicaset",
    workers: 1,
    maxRetries: 0,
    staleSyncs: { subsystem: "replicaset_controller", resources: { pods: Pod, sets: ReplicaSet } },
    sync: async () => {
      syncs++;
      if (syncs < 3) throw new StaleCacheError("behind", syncs === 1 ? "sets" : "pods");
    },
  });
  await using _running = startRunning((signal) => loop.run(signal));
  loop.add("default/web");
  await clock.advance(100);
  expect(syncs).toBe(3);
  const text = metrics.expose();
  expect(text).toContain('replicaset_controller_stale_sync_skips_total{group="apps",resource="replicasets"} 1');
  expect(text).toContain('replicaset_controller_stale_sync_skips_total{group="",resource="pods"} 1');
});

test("a key that keeps failing is dropped after its retries, until it comes again", async () => {
  const clock = new FakeClock();
  let syncs = 0;
  const loop = new KeyLoop({
    context: contextOf(clock, new MetricsRegistry()),
    name: "deployment",
    workers: 1,
    maxRetries: 2,
    sync: async () => {
      syncs++;
      throw new Error("always");
    },
  });
  await using _running = startRunning((signal) => loop.run(signal));
  loop.add("default/web");
  await clock.advance(60_000);
  expect(syncs).toBe(3);
  loop.add("default/web");
  await clock.advance(60_000);
  expect(syncs).toBe(6);
});
