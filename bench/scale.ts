/**
 * The cost of a pod in a growing cluster: every part of `coxswain up` in this process, at several numbers of nodes and
 * pods. Prints time, CPU and memory of creation, of rest and of deletion. `BENCH_SIZES=100x1000,1000x10000` chooses the
 * sizes (nodes x pods).
 */
import { Node, Pod } from "../src/api/index.js";
import { systemClock } from "../src/base/index.js";
import {
  areGone,
  createAll,
  deleteAll,
  deployment,
  haveBeenReady,
  startInProcess,
  timed,
  told,
} from "./cluster/in-process.js";
import type { Run } from "./harness.js";

const sizes = (process.env["BENCH_SIZES"] ?? "100x1000,1000x3000").split(",").map((text) => {
  const [nodes = 0, pods = 0] = text.split("x").map(Number);
  return { nodes, pods };
});
const podsOfDeployment = 100;
const restMs = 10_000;
const rest = (): Promise<void> => systemClock.sleep(restMs, new AbortController().signal);

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
  const began = performance.now();
  await using cluster = await startInProcess(nodes);
  const { client, informers } = cluster;
  await told(informers.informer(Node), haveBeenReady(nodes));
  const nodesReadySeconds = (performance.now() - began) / 1000;
  log(`nodes ready after ${nodesReadySeconds.toFixed(1)} s`);
  const pods = informers.informer(Pod);
  const all = Array.from({ length: Math.ceil(count / podsOfDeployment) }, (_, i) =>
    deployment(`d${i}`, Math.min(podsOfDeployment, count - i * podsOfDeployment), { cpu: "10m", memory: "10Mi" }),
  );
  const before = process.cpuUsage();
  const podsReadySeconds = (await timed(() => told(pods, haveBeenReady(count), () => createAll(client, all)))) / 1000;
  const spent = process.cpuUsage(before);
  const cpuMsPerPod = (spent.user + spent.system) / 1000 / count;
  log(`pods ready after ${podsReadySeconds.toFixed(1)} s, ${cpuMsPerPod.toFixed(2)} ms of CPU each`);
  globalThis.gc?.();
  const megabytes = process.memoryUsage.rss() / 1e6;
  await rest();
  const resting = process.cpuUsage();
  await rest();
  const rested = process.cpuUsage(resting);
  const restPercent = (rested.user + rested.system) / 10 / restMs;
  log(`at rest: ${restPercent.toFixed(0)} % of a core`);
  const goneSeconds = (await timed(() => told(pods, areGone(count), () => deleteAll(client)))) / 1000;
  return { nodesReadySeconds, podsReadySeconds, cpuMsPerPod, megabytes, restPercent, goneSeconds };
}
