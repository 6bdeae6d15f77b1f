/**
 * A whole cluster in one process: 100 Deployments of 10 replicas until 1,000 pods are ready, and until all are gone; by
 * client and by kubectl.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Node, Pod } from "../src/api/index.js";
import { defined } from "../src/base/defined.js";
import { type Client, connect } from "../src/client/index.js";
import {
  areGone,
  createAll,
  deleteAll,
  deployment,
  haveBeenReady,
  type IsEnough,
  startInProcess,
  timed,
  told,
} from "./cluster/in-process.js";
import type { Run } from "./harness.js";

const nodes = 20;
const replicas = 10;
const all = Array.from({ length: 100 }, (_, i) => deployment(`bench-${i}`, replicas));
const wanted = all.length * replicas;

/**
 * Measured on a machine with two cores: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok, without
 * rate limits.
 */
const peer = { readySeconds: 8.1, goneSeconds: 4.3, megabytes: 1_330 };

export const run: Run = async ({ log }) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-bench-"));
  try {
    log("creating in this process");
    const inProcess = await withinThisProcess();
    const byClient = await withCluster(folder, async ({ client, cluster, startMs }) => {
      log("creating through the client");
      const readyMs = await timed(() => watching(client, () => createAll(client, all), haveBeenReady(wanted)));
      log("deleting through the client");
      const goneMs = await timed(() => watching(client, () => deleteAll(client), areGone(wanted)));
      return { startMs, readyMs, goneMs, megabytes: peakMegabytes(cluster) };
    });
    const byKubectl = await withKubectl(folder, log);
    const figures = {
      "until kubectl get nodes could be answered (s)": byClient.startMs / 1_000,
      ...(byKubectl && { "until kubectl get nodes was answered (s)": byKubectl.firstAnswerMs / 1_000 }),
      "1,000 pods ready, created in the same process (s)": inProcess.readyMs / 1_000,
      "1,000 pods gone, deleted in the same process (s)": inProcess.goneMs / 1_000,
      "1,000 pods ready, created by a client (s)": byClient.readyMs / 1_000,
      "1,000 pods gone (s)": byClient.goneMs / 1_000,
      "most memory, one process (MB)": byClient.megabytes,
      ...(byKubectl && {
        "1,000 pods ready, created by kubectl (s)": byKubectl.readyMs / 1_000,
        "most memory, with kubectl (MB)": byKubectl.megabytes,
      }),
    };
    return {
      figures,
      ratios: {
        ...(byKubectl && {
          "ready sooner than with five Go processes, by kubectl": peer.readySeconds / (byKubectl.readyMs / 1_000),
        }),
        "gone sooner than with five Go processes": peer.goneSeconds / (byClient.goneMs / 1_000),
        "less memory than five Go processes": peer.megabytes / byClient.megabytes,
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A program in the cluster's process shares its caches, and needs no socket. */
async function withinThisProcess(): Promise<{ readonly readyMs: number; readonly goneMs: number }> {
  await using cluster = await startInProcess(nodes);
  const { client, informers } = cluster;
  await told(informers.informer(Node), haveBeenReady(nodes));
  const pods = informers.informer(Pod);
  return {
    readyMs: await timed(() => told(pods, haveBeenReady(wanted), () => createAll(client, all))),
    goneMs: await timed(() => told(pods, areGone(wanted), () => deleteAll(client))),
  };
}

interface Surroundings {
  readonly client: Client;
  readonly cluster: ChildProcess;
  readonly kubeconfig: string;
  readonly startMs: number;
}

async function withCluster<T>(folder: string, work: (surroundings: Surroundings) => Promise<T>): Promise<T> {
  const kubeconfig = join(folder, "kubeconfig");
  const started = performance.now();
  const args = [
    "dist/cli/main.js",
    "up",
    "--port",
    "0",
    "--status-port",
    "0",
    "--nodes",
    String(nodes),
    "--log-level",
    "error",
  ];
  const cluster = spawn(process.execPath, [...args, "--kubeconfig-out", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const chunk of cluster.stdout) if (String(chunk).includes("Ctrl-C")) break;
    const startMs = performance.now() - started;
    await using client = await connect({ kubeconfig });
    return await work({ client, cluster, kubeconfig, startMs });
  } finally {
    const ended = once(cluster, "exit");
    cluster.kill();
    await ended;
  }
}

async function withKubectl(
  folder: string,
  log: (message: string) => void,
): Promise<{ readonly firstAnswerMs: number; readonly readyMs: number; readonly megabytes: number } | undefined> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets === undefined) {
    log("without kubectl: KUBEBUILDER_ASSETS is not set");
    return undefined;
  }
  const file = join(folder, "deployments.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: all }));
  return withCluster(folder, async ({ client, cluster, kubeconfig, startMs }) => {
    const kubectl = (...args: string[]): Promise<unknown> =>
      promisify(execFile)(join(assets, "kubectl"), ["--kubeconfig", kubeconfig, ...args]);
    const firstAnswerMs = startMs + (await timed(() => kubectl("get", "nodes")));
    log("creating through kubectl");
    const readyMs = await timed(() => watching(client, () => kubectl("create", "-f", file), haveBeenReady(wanted)));
    return { firstAnswerMs, readyMs, megabytes: peakMegabytes(cluster) };
  });
}

/** Watches pods meanwhile, so that the server gets only requests that a user would send. */
async function watching(client: Client, work: () => Promise<unknown>, isEnough: IsEnough): Promise<void> {
  const pods = client.resource(Pod, { namespace: "default" });
  const { metadata } = await pods.list();
  const stop = new AbortController();
  const watch = (async () => {
    const { resourceVersion } = metadata ?? {};
    for await (const event of pods.watch({ signal: stop.signal, ...defined({ resourceVersion }) })) {
      if (event.type !== "BOOKMARK" && isEnough(event.type, event.object)) return;
    }
  })();
  await work();
  await watch;
  stop.abort();
}

function peakMegabytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024);
}
