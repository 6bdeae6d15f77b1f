/** When a key is run again because its reconciler asks for it, and which numbers the framework accepts. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Event } from "../../src/api/index.js";
import { FakeClock, seededRandom, systemClock, TokenBucket } from "../../src/base/index.js";
import { Client, retryOnConflict, seededFaults } from "../../src/client/index.js";
import { callbackSource, type ControllerOptions, EventBroadcaster, timerSource } from "../../src/controller/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { Manager } from "../../src/manager/index.js";
import { startSimulatedNodes } from "../../src/machines/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import {
  DelayingQueue,
  itemExponentialFailure,
  itemFastSlow,
  priorityOrder,
  runWorkers,
} from "../../src/workqueue/index.js";

async function setup(change: Partial<ControllerOptions<ConfigMap>>) {
  const cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const manager = await Manager.create({ client, clock, random: seededRandom(1) });
  const controller = manager.controller<ConfigMap>({
    name: "again",
    for: ConfigMap,
    reconcile: async () => {},
    ...change,
  });
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
  const runs = () => manager.journal.entries({ key: "default/a" });
  return { cluster, client, clock, manager, controller, runs };
}

describe("requeueAfterMs", () => {
  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "5" as unknown as number])(
    "%s is a failure that names the controller, the key and the number, with the backoff of failures",
    async (requeueAfterMs) => {
      for (const change of [
        { reconcile: async () => ({ requeueAfterMs }) },
        { finalizer: { name: "example.com/f", run: async () => {} }, reconcile: async () => ({ requeueAfterMs }) },
      ]) {
        const { cluster, clock, manager, runs } = await setup(change);
        await using _cluster = cluster;
        await using _running = manager.start();
        await clock.pass(2_000);
        expect(runs()[0]?.result).toMatchObject({ type: "failed", failures: 1 });
        expect(manager.explain("default/a")).toMatch(
          /controller again returned for default\/a: requeueAfterMs must be a number from 0 on, not (NaN|-1|Infinity|"5")/,
        );
        expect(runs().length).toBeLessThan(15);
      }
    },
  );

  test("of what deleted returns is checked as well, and so is what is no result at all", async () => {
    const { cluster, client, clock, manager, runs } = await setup({
      deleted: async () => ({ requeueAfterMs: Number.NaN }),
      reconcile: (async () => 5) as never,
    });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(1_000);
    expect(manager.explain("default/a")).toContain("5 is no result: return { requeueAfterMs } or nothing");
    await client.resource(ConfigMap, { namespace: "default" }).delete("a");
    await clock.pass(1_000);
    expect(runs().at(-1)?.result).toMatchObject({ type: "failed" });
    expect(manager.explain("default/a")).toContain("requeueAfterMs must be a number");
  });

  test("0 is at once, a little later each time in a row, and at once again after a run that did not ask", async () => {
    let left = 8;
    const { cluster, clock, manager, controller, runs } = await setup({
      reconcile: async () => (left-- > 0 ? { requeueAfterMs: 0 } : undefined),
    });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(10_000);
    const gaps = () =>
      runs()
        .slice(1)
        .map(({ startedAt }, i) => startedAt - (runs()[i]?.startedAt ?? 0));
    expect(runs()).toHaveLength(9);
    expect(gaps().every((gap, i) => gap > (gaps()[i - 1] ?? 0) && gap < 10 * 2 ** i)).toBe(true);
    left = 1;
    controller.enqueue({ namespace: "default", name: "a" });
    await clock.pass(1_000);
    expect(runs()).toHaveLength(11);
    expect(gaps().at(-1)).toBeLessThan(10);
  });

  test.each([
    ["asks for each millisecond", { reconcile: async () => ({ requeueAfterMs: 1 }) }],
    ["is woken by a source without end", undefined],
  ])("a key that %s is slowed down and reported, whatever it was queued for", async (_, change) => {
    const source = callbackSource("storm");
    const woken = async (): Promise<void> => source.wake({ namespace: "default", name: "a" });
    const { cluster, client, clock, manager, runs } = await setup(change ?? { sources: [source], reconcile: woken });
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(600_000);
    expect(runs().length).toBeLessThan(130);
    const events = await client.resource(Event, { namespace: "default" }).list();
    expect(events.items.map(({ reason }) => reason)).toContain("HotLoop");
    expect(events.items[0]?.message).toContain("it comes again without a change");
  });
});

describe("numbers that cannot be meant are refused where they are given, and the error says which", () => {
  const client = new Client({ transport: () => Promise.reject(new Error("not called")) });
  const factory = new SharedInformerFactory(client, {});
  const { signal } = new AbortController();
  const controller = (options: Partial<ControllerOptions<ConfigMap>>): unknown =>
    new Manager({ client }).controller({ name: "c", for: ConfigMap, reconcile: async () => {}, ...options });
  const queue = new DelayingQueue();
  const cases: readonly (readonly [string, (value: number) => unknown])[] = [
    ["concurrency", (concurrency) => controller({ concurrency })],
    ["timeoutMs", (timeoutMs) => controller({ timeoutMs })],
    ["maxFailures", (maxFailures) => controller({ maxFailures })],
    ["resyncPeriodMs", (resyncPeriodMs) => new Manager({ client, resyncPeriodMs })],
    ["memoryBudgetBytes", (memoryBudgetBytes) => new Manager({ client, memoryBudgetBytes })],
    ["stopTimeoutMs", (stopTimeoutMs) => new Manager({ client, stopTimeoutMs })],
    ["port", (port) => new Manager({ client, http: { port } })],
    [
      "leaseDurationMs",
      (leaseDurationMs) =>
        new Manager({ client, leaderElection: { lease: { namespace: "a", name: "b" }, leaseDurationMs } }),
    ],
    ["everyMs", (everyMs) => timerSource({ name: "t", everyMs, requests: () => [] })],
    ["queueLimit", (queueLimit) => new EventBroadcaster({ queueLimit })],
    ["resyncPeriodMs", (resyncPeriodMs) => new SharedInformerFactory(client, { resyncPeriodMs }).informer(ConfigMap)],
    ["resyncPeriodMs", (resyncPeriodMs) => factory.informer(ConfigMap).addEventHandler({}, { resyncPeriodMs })],
    ["pageSize", (pageSize) => new SharedInformerFactory(client, { tuning: { pageSize } }).informer(ConfigMap)],
    ["timeoutMs", (timeoutMs) => new Client({ transport: () => Promise.reject(new Error()), timeoutMs })],
    ["baseMs", (baseMs) => new Client({ transport: () => Promise.reject(new Error()), retry: { baseMs } })],
    ["attempts", (attempts) => retryOnConflict(async () => {}, { attempts })],
    ["ratePerSecond", (ratePerSecond) => new TokenBucket({ ratePerSecond, burst: 1 })],
    ["baseMs", (baseMs) => itemExponentialFailure({ baseMs, maxMs: 1 })],
    ["fastMs", (fastMs) => itemFastSlow({ fastMs, slowMs: 1, fastAttempts: 1 })],
    ["turnEvery", (turnEvery) => priorityOrder({ turnEvery })],
    ["workers", (workers) => runWorkers({ queue: queue as never, sync: async () => {}, signal, workers })],
    ["rate", (rate) => seededFaults({ random: seededRandom(1), rate })],
    ["nodes", (nodes) => startCluster({ nodes })],
    ["nodes", (nodes) => startSimulatedNodes({ client, nodes })],
    ["pass", (ms) => new FakeClock().pass(ms)],
    ["advance", (ms) => new FakeClock().advance(ms)],
  ];

  test.each(cases)("%s", async (name, give) => {
    for (const value of [Number.NaN, -1, "4" as unknown as number]) {
      // an async function refuses its arguments by its promise
      const refused = await Promise.resolve()
        .then(() => give(value))
        .then(
          () => "taken",
          (error: unknown) => String(error),
        );
      expect(refused).toContain(name);
      expect(refused).toContain(String(value));
    }
  });

  test("a clock does not wait for what is no number, and a queue does not add after it", async () => {
    for (const clock of [systemClock, new FakeClock()]) {
      expect(() => clock.timer(Number.NaN, () => {})).toThrow("NaN");
      await expect(clock.sleep(Number.NaN, signal)).rejects.toThrow("NaN");
    }
    expect(() => queue.addAfter("a", Number.NaN)).toThrow("NaN");
  });
});
