/** A thousand informers come and go: memory, sockets and timers return to where they were. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigMap } from "../../src/api/index.js";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime, systemClock } from "../../src/base/index.js";
import { type Client, Client as InProcessClient, connect } from "../../src/client/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const full = process.env["COXSWAIN_FULL"] === "1";

async function heapBytes(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

function openHandles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return { sockets: counts["TCPSocketWrap"] ?? 0, timers: counts["Timeout"] ?? 0 };
}

/** Starts `count` informers in waves, waits until each has synced, stops them. Gives what could be collected afterwards. */
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
    const signal = AbortSignal.timeout(60_000);
    await Promise.all(factories.map((factory) => factory.waitForCacheSync({ signal })));
    await lifetime[Symbol.asyncDispose]();
  }
  return gone;
}

async function expectNothingLeft(client: Client, count: number): Promise<void> {
  await comeAndGo(client, 100);
  const heapBefore = await heapBytes();
  const handlesBefore = openHandles();
  const gone = await comeAndGo(client, count);
  // sockets need a moment to close
  for (let i = 0; i < 100 && openHandles()["sockets"] !== handlesBefore["sockets"]; i++)
    await systemClock.sleep(20, new AbortController().signal);
  const grown = (await heapBytes()) - heapBefore;
  expect(openHandles()).toEqual(handlesBefore);
  const kept = gone.filter((reference) => reference.deref() !== undefined).length;
  expect(kept, "informers that could not be collected").toBeLessThanOrEqual(1);
  expect(grown / count, "bytes kept per informer").toBeLessThan(2_000);
}

test("1,000 informers on a server in this process", async () => {
  await using server = await startApiServer();
  await expectNothingLeft(new InProcessClient({ transport: server.transport() }), 1_000);
}, 120_000);

test(`${full ? "1,000" : "200"} informers over sockets`, async () => {
  await using lifetime = new Lifetime();
  const folder = await mkdtemp(join(tmpdir(), "coxswain-leak-"));
  lifetime.defer(() => rm(folder, { recursive: true, force: true }));
  const server = lifetime.use(await startApiServer());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, (await server.listen()).kubeconfig);
  const client = lifetime.use(await connect({ kubeconfig }));
  await expectNothingLeft(client, full ? 1_000 : 200);
}, 120_000);
