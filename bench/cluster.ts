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
import { Deployment, type Draft, Node, Pod } from "../src/api/index.js";
import { startApiServer } from "../src/apiserver/index.js";
import { MetricsRegistry, silentLogger } from "../src/base/index.js";
import { startParts } from "../src/cli/parts.js";
import { type Client, connect } from "../src/client/index.js";
import { builtInControllers, selectControllers } from "../src/builtin/index.js";
import type { SharedIndexInformer } from "../src/informer/index.js";
import type { Run } from "./harness.js";

const deployments = 100;
const replicas = 10;
const wanted = deployments * replicas;

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
      const readyMs = await timed(() => watching(client, () => createAll(client), readyPods()));
      log("deleting through the client");
      const goneMs = await timed(() => watching(client, () => deleteAll(client), gonePods()));
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

/** Every part of `coxswain up` and the creator of the Deployments in this process: no sockets. */
async function withinThisProcess(): Promise<{ readonly readyMs: number; readonly goneMs: number }> {
  const metrics = new MetricsRegistry();
  await using server = await startApiServer({ metrics });
  const controllers = selectControllers(["*"], builtInControllers);
  const credentials = { tokenKey: server.tokenKey() };
  const options = { controllers, nodes: 20, speed: 1, scheduler: true, metrics, log: silentLogger, credentials };
  const stop = new AbortController();
  await using parts = await startParts(server, options, stop.signal);
  const { client, informers } = parts;
  const nodes = client.resource(Node);
  for (const { metadata } of (await nodes.list()).items) await nodes.waitFor(metadata.name, isReady);
  const pods = informers.informer(Pod);
  return {
    readyMs: await timed(() => told(pods, () => createAll(client), readyPods())),
    goneMs: await timed(() => told(pods, () => deleteAll(client), gonePods())),
  };
}

/** Resolves when the informer's handler has seen enough: a program in the cluster's process shares its caches. */
async function told(pods: SharedIndexInformer<Pod>, work: () => Promise<unknown>, isEnough: IsEnough): Promise<void> {
  let enough = (): void => {};
  const seen = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const tell = (type: string, pod?: Pod): void => {
    if (isEnough(type, pod)) enough();
  };
  using _ = pods.addEventHandler({
    onAdd: (pod) => tell("ADDED", pod),
    onUpdate: (_old, pod) => tell("MODIFIED", pod),
    onDelete: () => tell("DELETED"),
  });
  await work();
  await seen;
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
  const args = ["dist/cli/main.js", "up", "--port", "0", "--status-port", "0", "--nodes", "20", "--log-level", "error"];
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
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: names().map(deployment) }));
  return withCluster(folder, async ({ client, cluster, kubeconfig, startMs }) => {
    const kubectl = (...args: string[]): Promise<unknown> =>
      promisify(execFile)(join(assets, "kubectl"), ["--kubeconfig", kubeconfig, ...args]);
    const firstAnswerMs = startMs + (await timed(() => kubectl("get", "nodes")));
    log("creating through kubectl");
    const readyMs = await timed(() => watching(client, () => kubectl("create", "-f", file), readyPods()));
    return { firstAnswerMs, readyMs, megabytes: peakMegabytes(cluster) };
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const names = (): string[] => Array.from({ length: deployments }, (_, i) => `bench-${i}`);

function deployment(name: string): Draft<Deployment> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

async function createAll(client: Client): Promise<void> {
  await Promise.all(names().map((name) => client.resource(Deployment).create(deployment(name))));
}

async function deleteAll(client: Client): Promise<void> {
  await client.resource(Deployment, { namespace: "default" }).deleteCollection({ propagationPolicy: "Background" });
}

type IsEnough = (type: string, pod?: Pod) => boolean;

function isReady(object: Pod | Node | undefined): boolean {
  const conditions: readonly { readonly type: string; readonly status: string }[] = object?.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** True when all pods have been ready. */
function readyPods(): IsEnough {
  const ready = new Set<string>();
  return (_type, pod) => {
    if (pod !== undefined && isReady(pod)) ready.add(pod.metadata.name);
    return ready.size >= wanted;
  };
}

/** True when this many pods are gone. */
function gonePods(): IsEnough {
  let gone = 0;
  return (type) => {
    if (type === "DELETED") gone++;
    return gone >= wanted;
  };
}

/** Watches pods meanwhile, so that the server gets only requests that a user would send. */
async function watching(client: Client, work: () => Promise<unknown>, isEnough: IsEnough): Promise<void> {
  const pods = client.resource(Pod, { namespace: "default" });
  const { metadata } = await pods.list();
  const stop = new AbortController();
  const watch = (async () => {
    const from = metadata?.resourceVersion;
    for await (const event of pods.watch({
      signal: stop.signal,
      ...(from === undefined ? {} : { resourceVersion: from }),
    })) {
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
