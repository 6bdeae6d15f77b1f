/** A thousand informers come and go: memory, sockets and timers return to where they were. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigMap } from "../../src/api/index.js";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime } from "../../src/base/index.js";
import { collectGarbage } from "./collect-garbage.js";
import { type Client, Client as InProcessClient, connect } from "../../src/client/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { eventually } from "../eventually.js";

const full = process.env["COXSWAIN_FULL"] === "1";

async function heapBytes(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

function openHandles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return { sockets: counts["TCPSocketWrap"] ?? 0, timers: counts["Timeout"] ?? 0 };
}

/**
 * Starts `count` informers in waves, waits until each has synced, stops them. Gives references to everything that
 * should be collectable.
 */
async function comeAndGo(client: Client, count: number): Promise<WeakRef<object>[]> {
  const gone: WeakRef<object>[] = [];
  for (let wave = 0; wave < count; wave += 100) {
    const lifetime = new Lifetime();
    const factories = Array.from({ length: 100 }, () => new SharedInformerFactory(client, { resyncPeriodMs: 30_000 }));
    for (const factory of factories) {
      const informer = factory.informer(ConfigMap);
      informer.addEventHandler({ onAdd: () => {} });
      gone.push(new WeakRef(informer));
      lifetime.use(factory.start());
    }
    const signal = AbortSignal.timeout(120_000);
    await Promise.all(factories.map((factory) => factory.waitForCacheSync({ signal })));
    await lifetime[Symbol.asyncDispose]();
  }
  return gone;
}

/** A leak of informers shows in every round; other growth in a process (code, buffers, the test runner) is irregular. */
const rounds = 3;

async function expectNothingLeft(client: Client, count: number): Promise<void> {
  await comeAndGo(client, 100);
  let before = await heapBytes();
  const handlesBefore = openHandles();
  const growths: number[] = [];
  for (let round = 0; round < rounds && growths.every((bytes) => bytes >= 2_000); round++) {
    const gone = await comeAndGo(client, count);
    // sockets need a moment to close, and the runner's own timers to go
    const isBack = (): boolean => {
      const now = openHandles();
      return Object.entries(handlesBefore).every(([kind, open]) => (now[kind] ?? 0) <= open);
    };
    await eventually("sockets and timers are no more than before", isBack);
    let after = 0;
    // memory that a closing promise or socket holds is free a moment later
    await eventually("informers can be collected, but for one that this function may hold", async () => {
      after = await heapBytes();
      return gone.filter((reference) => reference.deref() !== undefined).length <= 1;
    });
    growths.push((after - before) / count);
    before = after;
  }
  expect(Math.min(...growths), `bytes kept per informer in each round: ${growths.join(", ")}`).toBeLessThan(2_000);
}

test("1,000 informers on a server in this process", async () => {
  await using server = await startApiServer();
  await expectNothingLeft(new InProcessClient({ transport: server.transport() }), 1_000);
}, 600_000);

test(`${full ? "1,000" : "200"} informers over sockets`, async () => {
  await using lifetime = new Lifetime();
  const folder = await mkdtemp(join(tmpdir(), "coxswain-leak-"));
  lifetime.defer(() => rm(folder, { recursive: true, force: true }));
  const server = lifetime.use(await startApiServer());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, (await server.listen()).kubeconfig);
  const client = lifetime.use(await connect({ kubeconfig }));
  await expectNothingLeft(client, full ? 1_000 : 200);
}, 600_000);
