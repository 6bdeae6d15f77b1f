/**
 * The cost of a pod in a growing cluster: every part of `coxswain up` in this process, at several numbers of nodes and
 * pods, on real and on virtual time. Prints CPU and time of creation, rest, a rolling update of everything, the loss of
 * a tenth of the nodes, and deletion; and the memory. `BENCH_SIZES=100x1000,5000x30000` chooses the sizes (nodes x
 * pods), `BENCH_CLOCKS=real` one of the two clocks.
 */
import { Deployment, type KubeObject, Node, type Pod } from "../src/api/index.js";
import { powerAnnotation } from "../src/machines/index.js";
import { areGone, createAll, deleteAll, deployment, haveBeenReady, type IsEnough } from "./cluster/in-process.js";
import { onRealTime, onVirtualTime, type Stage } from "./cluster/stage.js";
import type { Run } from "./harness.js";

const sizes = (process.env["BENCH_SIZES"] ?? "100x1000,1000x3000").split(",").map((text) => {
  const [nodes = 0, pods = 0] = text.split("x").map(Number);
  return { nodes, pods };
});
const clocks = { real: onRealTime, virtual: onVirtualTime } as const;
const chosen = (process.env["BENCH_CLOCKS"] ?? "real,virtual").split(",") as (keyof typeof clocks)[];
const podsOfDeployment = 100;
const restMs = 20_000;

interface Cost {
  /** CPU of this process, and time on the cluster's clock. */
  readonly cpuMs: number;
  readonly seconds: number;
}

export const run: Run = async ({ log }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  for (const clock of chosen) {
    const perPod: number[] = [];
    for (const { nodes, pods } of sizes) {
      const at = `${clock} time, ${nodes} nodes, ${pods} pods`;
      const costs = await costsOf(clocks[clock], { nodes, pods }, (text) => log(`${at}: ${text}`));
      for (const [name, value] of Object.entries(costs)) figures[`${at}: ${name}`] = value;
      perPod.push(costs["created, CPU a pod (ms)"] as number);
    }
    const [first, last] = [perPod[0], perPod.at(-1)];
    if (first !== undefined && last !== undefined && perPod.length > 1) {
      ratios[`${clock} time: CPU a pod, largest over smallest`] = last / first;
    }
  }
  return { figures, ratios };
};

async function costsOf(
  start: (nodes: number) => Promise<Stage>,
  { nodes, pods }: { readonly nodes: number; readonly pods: number },
  log: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const beforeStart = process.cpuUsage();
  await using stage = await start(nodes);
  const { client } = stage;
  await stage.nodesUntil(haveBeenReady(nodes));
  const started = cpuMsSince(beforeStart);
  log(`nodes ready: ${(started / 1_000).toFixed(1)} s of CPU`);
  const phase = async (name: string, work: () => Promise<unknown>): Promise<Cost> => {
    const cost = await measured(stage, work);
    log(`${name}: ${(cost.cpuMs / 1_000).toFixed(1)} s of CPU, ${cost.seconds.toFixed(1)} s on the clock`);
    return cost;
  };
  const all = Array.from({ length: Math.ceil(pods / podsOfDeployment) }, (_, i) =>
    deployment(`d${i}`, Math.min(podsOfDeployment, pods - i * podsOfDeployment), { cpu: "10m", memory: "10Mi" }),
  );
  const created = await phase("created", () => stage.podsUntil(haveBeenReady(pods), () => createAll(client, all)));
  globalThis.gc?.();
  const megabytes = process.memoryUsage.rss() / 1e6;
  await stage.pass(restMs);
  const rested = await phase("rest", () => stage.pass(restMs));
  const template = { metadata: { labels: { round: "2" } } };
  const rolled = await phase("rolled", () =>
    stage.podsUntil(areNewAndReady(pods), () =>
      each(all, ({ metadata: { name = "" } }) =>
        client.resource(Deployment, { namespace: "default" }).patch(name, { merge: { spec: { template } } }),
      ),
    ),
  );
  const lost = Array.from({ length: Math.floor(nodes / 10) }, (_, i) => `node-${i + 1}`);
  const off = { metadata: { annotations: { [powerAnnotation]: "off" } } };
  const on = { metadata: { annotations: { [powerAnnotation]: null } } };
  const cut = await phase("a tenth of the nodes lost", () =>
    stage.nodesUntil(haveFallenSilent(lost.length), () =>
      each(lost, (name) => client.resource(Node).patch(name, { merge: off })),
    ),
  );
  // the pods of a node without power would stay for ever
  await each(lost, (name) => client.resource(Node).patch(name, { merge: on }));
  const deleted = await phase("deleted", () => stage.podsUntil(areGone(pods), () => deleteAll(client)));
  return {
    "started, CPU a node (ms)": started / nodes,
    "created, CPU a pod (ms)": created.cpuMs / pods,
    "created (s)": created.seconds,
    "memory (MB)": megabytes,
    "rest, CPU a second (ms)": rested.cpuMs / rested.seconds,
    "updated, CPU a pod (ms)": rolled.cpuMs / pods,
    "updated (s)": rolled.seconds,
    "a tenth of the nodes lost, CPU (s)": cut.cpuMs / 1_000,
    "deleted, CPU a pod (ms)": deleted.cpuMs / pods,
    "deleted (s)": deleted.seconds,
  };
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  await Promise.all(items.map(work));
}

async function measured(stage: Stage, work: () => Promise<unknown>): Promise<Cost> {
  const before = process.cpuUsage();
  const began = stage.now();
  await work();
  return { cpuMs: cpuMsSince(before), seconds: (stage.now() - began) / 1_000 };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Enough when this number of pods of the new template have been ready. */
function areNewAndReady(wanted: number): IsEnough {
  const isEnough = haveBeenReady(wanted);
  return (type, object) => isEnough(type, object?.metadata.labels?.["round"] === "2" ? object : undefined);
}

/** Enough when this number of nodes are known to be silent. */
function haveFallenSilent(wanted: number): IsEnough {
  const silent = new Set<string>();
  return (_type, object) => {
    if (object !== undefined && isSilent(object)) silent.add(object.metadata.name);
    return silent.size >= wanted;
  };
}

const isSilent = (object: KubeObject): boolean =>
  (object as Node | Pod).status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown") ??
  false;
