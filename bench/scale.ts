/**
 * The cost of a pod in a growing cluster: every part of `coxswain up` in this process, at several numbers of nodes and
 * pods. Prints time, CPU and memory of creation, of rest and of deletion. `BENCH_SIZES=100x1000,1000x10000` chooses the
 * sizes (nodes x pods).
 */
import { Deployment, type Draft, Node, Pod } from "../src/api/index.js";
import { startApiServer } from "../src/apiserver/index.js";
import { MetricsRegistry, silentLogger, sleepOn, systemClock } from "../src/base/index.js";
import { builtInControllers, selectControllers } from "../src/builtin/index.js";
import { startParts } from "../src/cli/parts.js";
import type { Client } from "../src/client/index.js";
import type { SharedIndexInformer } from "../src/informer/index.js";
import type { Run } from "./harness.js";

const sizes = (process.env["BENCH_SIZES"] ?? "100x1000,1000x3000").split(",").map((text) => {
  const [nodes = 0, pods = 0] = text.split("x").map(Number);
  return { nodes, pods };
});
const podsOfDeployment = 100;
const restMs = 10_000;

interface Cost {
  readonly nodesReadySeconds: number;
  readonly podsReadySeconds: number;
  readonly cpuMsPerPod: number;
  readonly megabytes: number;
  readonly restPercent: number;
  readonly goneSeconds: number;
}

export const run: Run = async ({ log }) => {
  const figures: Record<string, number> = {};
  const costs: Cost[] = [];
  for (const { nodes, pods } of sizes) {
    const cost = await costOf(nodes, pods, (text) => log(`${nodes} nodes, ${pods} pods: ${text}`));
    costs.push(cost);
    const at = `${nodes} nodes, ${pods} pods`;
    figures[`${at}: nodes ready (s)`] = cost.nodesReadySeconds;
    figures[`${at}: pods ready (s)`] = cost.podsReadySeconds;
    figures[`${at}: CPU a pod (ms)`] = cost.cpuMsPerPod;
    figures[`${at}: memory (MB)`] = cost.megabytes;
    figures[`${at}: at rest (% of a core)`] = cost.restPercent;
    figures[`${at}: pods gone (s)`] = cost.goneSeconds;
  }
  const [first, last] = [costs[0], costs.at(-1)];
  const ratios =
    first === undefined || last === undefined || costs.length === 1
      ? {}
      : { "CPU a pod, largest over smallest": last.cpuMsPerPod / first.cpuMsPerPod };
  return { figures, ratios };
};

async function costOf(nodes: number, count: number, log: (text: string) => void): Promise<Cost> {
  const metrics = new MetricsRegistry();
  await using server = await startApiServer({ metrics });
  const controllers = selectControllers(["*"], builtInControllers);
  const credentials = { tokenKey: server.tokenKey() };
  const options = { controllers, nodes, speed: 1, scheduler: true, metrics, log: silentLogger, credentials };
  const stop = new AbortController();
  const began = performance.now();
  await using parts = await startParts(server, options, stop.signal);
  const { client, informers } = parts;
  await counted(informers.informer(Node), nodes, isReady, async () => {});
  const nodesReadySeconds = (performance.now() - began) / 1000;
  log(`nodes ready after ${nodesReadySeconds.toFixed(1)} s`);
  const pods = informers.informer(Pod);
  const [before, started] = [process.cpuUsage(), performance.now()];
  await counted(pods, count, isReady, () => createAll(client, count));
  const spent = process.cpuUsage(before);
  const podsReadySeconds = (performance.now() - started) / 1000;
  const cpuMsPerPod = (spent.user + spent.system) / 1000 / count;
  log(`pods ready after ${podsReadySeconds.toFixed(1)} s, ${cpuMsPerPod.toFixed(2)} ms of CPU each`);
  globalThis.gc?.();
  const megabytes = process.memoryUsage.rss() / 1e6;
  await sleepOn(systemClock, restMs, stop.signal);
  const resting = process.cpuUsage();
  await sleepOn(systemClock, restMs, stop.signal);
  const rested = process.cpuUsage(resting);
  const restPercent = (rested.user + rested.system) / 10 / restMs;
  log(`at rest: ${restPercent.toFixed(0)} % of a core`);
  const deleted = performance.now();
  await client.resource(Deployment).in("default").deleteCollection();
  await gone(pods);
  const goneSeconds = (performance.now() - deleted) / 1000;
  stop.abort();
  return { nodesReadySeconds, podsReadySeconds, cpuMsPerPod, megabytes, restPercent, goneSeconds };
}

type Conditioned = { readonly status?: { readonly conditions?: readonly { type: string; status: string }[] } };

const isReady = ({ status }: Conditioned): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;

/** Resolves when `wanted` objects of the informer have been seen to be so. */
async function counted<T extends { readonly metadata: { readonly name: string } }>(
  informer: SharedIndexInformer<T>,
  wanted: number,
  isSo: (object: T) => boolean,
  work: () => Promise<unknown>,
): Promise<void> {
  const seen = new Set<string>();
  let enough = (): void => {};
  const reached = new Promise<void>((resolve) => (enough = resolve));
  const look = (object: T): void => {
    if (!seen.has(object.metadata.name) && isSo(object)) seen.add(object.metadata.name);
    if (seen.size >= wanted) enough();
  };
  using _ = informer.addEventHandler({ onAdd: look, onUpdate: (_old, object) => look(object) });
  await work();
  await reached;
}

async function gone(pods: SharedIndexInformer<Pod>): Promise<void> {
  let none = (): void => {};
  const reached = new Promise<void>((resolve) => (none = resolve));
  using _ = pods.addEventHandler({ onDelete: () => pods.indexer.list().length === 0 && none() });
  await reached;
}

async function createAll(client: Client, count: number): Promise<void> {
  const deployments = client.resource(Deployment).in("default");
  await Promise.all(
    Array.from({ length: Math.ceil(count / podsOfDeployment) }, (_, i) =>
      deployments.create(deployment(`d${i}`, Math.min(podsOfDeployment, count - i * podsOfDeployment))),
    ),
  );
}

const deployment = (name: string, replicas: number): Draft<Deployment> => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "nginx", resources: { requests: { cpu: "10m", memory: "10Mi" } } }] },
    },
  },
});
