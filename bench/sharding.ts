/** Replicas that share objects, each a thread with a client of its own: how many reconciles a second one, two and four of them do. */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { ConfigMap, Namespace } from "../src/api/index.js";
import { startApiServer } from "../src/apiserver/index.js";
import { connect } from "../src/client/index.js";
import { Manager } from "../src/manager/index.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Run } from "./harness.js";
import { writePrivateFile } from "../src/base/index.js";

const namespaces = 64;
const objects = 10;
/** The work of one reconcile: what a template and a few comparisons take. */
const workMs = 5;

interface Task {
  readonly kubeconfig: string;
  readonly identity: string;
}

async function replica({ kubeconfig, identity }: Task): Promise<void> {
  await using client = await connect({ kubeconfig });
  const lease = { namespace: "default", name: "bench" };
  const times = { leaseDurationMs: 4_000, renewDeadlineMs: 2_000, retryPeriodMs: 300 };
  const manager = await Manager.create({ client, sharding: { lease, identity, ...times } });
  let round = "";
  manager.controller<ConfigMap>({
    name: "busy",
    for: ConfigMap,
    async reconcile({ object }) {
      if (object.data?.["round"] !== round) return;
      for (const until = performance.now() + workMs; performance.now() < until; );
      parentPort?.postMessage({ type: "done" });
    },
  });
  const stop = new AbortController();
  parentPort?.on("message", (message: string) => {
    if (message === "stop") stop.abort();
    else if (message === "held") parentPort?.postMessage({ type: "held", count: manager.sharder?.held.length ?? 0 });
    else round = message;
  });
  await manager.run({ signal: stop.signal });
  parentPort?.close();
}

if (!isMainThread && (workerData as Task | null)?.kubeconfig !== undefined) void replica(workerData as Task);

class Replicas {
  readonly #workers: readonly Worker[];
  readonly #held = new Map<Worker, number>();
  #left = 0;
  #done = (): void => {};

  constructor(kubeconfig: string, count: number) {
    this.#workers = Array.from({ length: count }, (_, i) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { kubeconfig, identity: `${count}-${i}` } });
      worker.on("message", (message: { readonly type: string; readonly count?: number }) => {
        if (message.type === "held") this.#held.set(worker, message.count ?? 0);
        else if (--this.#left === 0) this.#done();
      });
      return worker;
    });
  }

  async settled(): Promise<void> {
    const share = 32 / this.#workers.length;
    while (!this.#workers.every((worker) => this.#held.get(worker) === share)) {
      for (const worker of this.#workers) worker.postMessage("held");
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  round(name: string, count: number): Promise<void> {
    for (const worker of this.#workers) worker.postMessage(name);
    this.#left = count;
    return new Promise((resolve) => void (this.#done = resolve));
  }

  async stop(): Promise<void> {
    const ended = this.#workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
    for (const worker of this.#workers) worker.postMessage("stop");
    await Promise.all(ended);
  }
}

export const run: Run = async ({ log }) => {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-sharding-"));
  await using server = await startApiServer({});
  const kubeconfig = join(folder, "kubeconfig");
  await writePrivateFile(kubeconfig, (await server.listen({ port: 0 })).kubeconfig);
  await using client = await connect({ kubeconfig });
  const names = Array.from({ length: namespaces }, (_, i) => `tenant-${i}`);
  for (const name of names) await client.resource(Namespace).create({ metadata: { name } });
  const all = names.flatMap((namespace) => Array.from({ length: objects }, (_, i) => ({ namespace, name: `m-${i}` })));
  for (const { namespace, name } of all) await client.resource(ConfigMap, { namespace }).create({ metadata: { name } });
  const rates = new Map<number, number>();
  for (const count of [1, 2, 4]) {
    const replicas = new Replicas(kubeconfig, count);
    await replicas.settled();
    const round = `round ${count}`;
    const ended = replicas.round(round, all.length);
    const begin = performance.now();
    for (const { namespace, name } of all)
      void client.resource(ConfigMap, { namespace }).patch(name, { merge: { data: { round } } });
    await ended;
    rates.set(count, (all.length * 1_000) / (performance.now() - begin));
    await replicas.stop();
    log(`${count} replicas: ${Math.round(rates.get(count) ?? 0)} reconciles a second`);
  }
  await rm(folder, { recursive: true, force: true });
  const of = (count: number): number => rates.get(count) ?? 0;
  const figures = Object.fromEntries([1, 2, 4].map((count) => [`reconciles with ${count} replicas (1/s)`, of(count)]));
  return { figures, ratios: { "2 replicas to 1": of(2) / of(1), "4 replicas to 1": of(4) / of(1) } };
};
