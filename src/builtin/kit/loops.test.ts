import { expect, test } from "vitest";
import { Pod, ReplicaSet } from "../../api/index.js";
import { FakeClock, MetricsRegistry, seededRandom, silentLogger, startRunning } from "../../base/index.js";
import { Journal, type KeyRun } from "../../controller/index.js";
import type { ControllerContext } from "./context.js";
import { keyLoop, runLoops } from "./loops.js";

test("runs that caches hold up are counted by the kind whose cache is behind", async () => {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const parts = { clock, metrics, random: seededRandom(1), log: silentLogger, journal: new Journal() };
  const cacheOf = (type: typeof Pod | typeof ReplicaSet) => ({
    type,
    indexer: { get: () => undefined, lastStoreSyncResourceVersion: "1" },
  });
  const [pods, sets] = [cacheOf(Pod), cacheOf(ReplicaSet)];
  let syncs = 0;
  const loop = keyLoop(parts as unknown as ControllerContext, {
    name: "replicaset",
    kind: "ReplicaSet",
    workers: 1,
    awaits: [pods, sets],
    subsystem: "replicaset_controller",
    async sync(run: KeyRun) {
      syncs++;
      if (syncs > 1) return;
      for (const type of [Pod, ReplicaSet]) {
        const answer = { metadata: { name: "a", namespace: "default", resourceVersion: "2" } };
        await run.write({ verb: "create", type, namespace: "default" }, async () => answer);
      }
    },
  });
  await using _running = startRunning((signal) => runLoops([loop], signal));
  loop.add("default/web");
  await clock.advance(0);
  loop.add("default/web");
  await clock.advance(0);
  pods.indexer.lastStoreSyncResourceVersion = "2";
  await clock.advance(20);
  sets.indexer.lastStoreSyncResourceVersion = "2";
  await clock.advance(20);
  expect(syncs).toBe(2);
  const text = metrics.expose();
  expect(text).toContain('replicaset_controller_stale_sync_skips_total{group="",resource="pods"} 1');
  expect(text).toContain('replicaset_controller_stale_sync_skips_total{group="apps",resource="replicasets"} 1');
});
