/** Virtual time that a test owns: the work that it waits for, and the work that it does not. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap, Deployment, Secret } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { ReconcileContext } from "../../src/controller/index.js";
import { builtInControllers } from "../../src/builtin/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "a", image: "a" }] },
});

describe("disposing never waits for time that nobody moves", () => {
  test.each(["*", ...builtInControllers.map(({ name }) => name)])("with the controllers %s", async (name) => {
    for (const nodes of [0, 2]) {
      await using _cluster = await startCluster({ clock: "virtual", controllers: [name], nodes });
    }
  });

  test.each([0, 1, 7, 50, 300, 1_000, 2_500, 10_000, 61_000])(
    "%d ms after the start, in the middle of a rollout",
    async (ms) => {
      await using cluster = await startCluster({ clock: "virtual", controllers: ["*"], nodes: 2 });
      await cluster.client.resource(Deployment, { namespace: "default" }).create({
        metadata: { name: "web" },
        spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: template("web") },
      });
      await cluster.clock.advance(ms);
    },
  );

  test("of a manager whose reconcile waits for time, or ignores its signal", async () => {
    for (const wait of [
      ({ clock, signal }: ReconcileContext<ConfigMap>) => clock.sleep(3_600_000, signal),
      ({ clock }: ReconcileContext<ConfigMap>) => clock.sleep(3_600_000, new AbortController().signal),
    ]) {
      await using cluster = await startCluster({ clock: "virtual" });
      const { client, clock } = cluster;
      const manager = await Manager.create({ client, clock });
      manager.controller({ name: "sleeper", for: ConfigMap, reconcile: wait });
      const running = manager.start();
      await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
      await clock.pass(1_000);
      // it says which reconcile did not end when its patience was over
      await expect(running[Symbol.asyncDispose]()).rejects.toThrow();
      await clock.passUntil(clock.advance(3_600_000));
    }
  });

  test("of a factory whose handler waits for time", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const factory = new SharedInformerFactory(client, { clock });
    factory.informer(ConfigMap).addEventHandler({ onAdd: () => clock.sleep(5_000, new AbortController().signal) });
    await using _running = factory.start();
    await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
    await clock.pass(1_000);
  });

  test("and leaves time alone if it need not wait", async () => {
    const cluster = await startCluster({ clock: "virtual" });
    await cluster.clock.pass(1_000);
    await cluster[Symbol.asyncDispose]();
    expect(cluster.clock.monotonic()).toBe(1_000);
  });
});

/** A controller that makes a Secret for each ConfigMap once it has done some work outside of the cluster. */
async function secretTime(work: (context: ReconcileContext<ConfigMap>) => Promise<unknown>): Promise<number> {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const manager = await Manager.create({ client, clock });
  manager.controller({
    name: "reader",
    for: ConfigMap,
    owns: [Secret],
    async reconcile(context) {
      await work(context);
      const { name, namespace = "" } = context.object.metadata;
      await context.client.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } });
    },
  });
  await using _running = manager.start();
  await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
  await clock.pass(60_000);
  const { metadata } = await client.resource(Secret, { namespace: "default" }).get("a");
  return Date.parse(metadata.creationTimestamp ?? "") - Date.UTC(2020, 0, 1);
}

describe("time waits for a reconcile", () => {
  test("that reads files", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-virtual-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "a"), "text");
    const read = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) await readFile(join(folder, "a"));
    };
    for (let round = 0; round < 5; round++) expect(await secretTime(read)).toBeLessThan(2_000);
  });

  test("that waits for the machine, and longer if it says so", async () => {
    const turns = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    expect(await secretTime(() => turns(150))).toBeLessThan(2_000);
    expect(await secretTime(({ clock }) => clock.during(() => turns(5_000)))).toBeLessThan(2_000);
  });

  test("but not for one that waits for time", async () => {
    expect(await secretTime(({ clock, signal }) => clock.sleep(30_000, signal))).toBe(30_000);
  });

  test("and not for ever for one that waits for the test", async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const manager = await Manager.create({ client, clock });
    manager.controller({ name: "gated", for: ConfigMap, reconcile: () => gate });
    await using _running = manager.start();
    await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
    await clock.pass(60_000);
    expect(manager.controllers[0]?.queue.held).toMatchObject([{ key: "default/a" }]);
    open();
    await clock.pass(1_000);
    expect(manager.controllers[0]?.queue.held).toEqual([]);
  });
});

test("during: a FakeClock stands still until the work is done, and passes its result and its error on", async () => {
  const clock = new FakeClock();
  let done = false;
  const work = clock.during(async () => {
    for (let i = 0; i < 2_000; i++) await new Promise((resolve) => setImmediate(resolve));
    done = true;
    return 7;
  });
  const seen: boolean[] = [];
  using _timer = clock.timer(1, () => void seen.push(done));
  await clock.advance(10);
  expect([seen, await work]).toEqual([[true], 7]);
  await expect(clock.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await clock.advance(1);
});
