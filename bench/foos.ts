/**
 * The sample controller at work: Foos are created at once, and each must get its Deployment and its status. Both styles
 * run on the embedded server, in this process; if KUBEBUILDER_ASSETS names a real kube-apiserver, also there, each
 * program as a process of its own, compared with the Go sample-controller if SAMPLE_CONTROLLER names its binary (built
 * with `cfg.QPS = -1`, because its client otherwise limits itself to five requests a second).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Client, connect, Deployment } from "coxswain";
import { CustomResourceDefinition, Namespace } from "coxswain/api";
import { startApiServer } from "coxswain/apiserver";
import { silentLogger, startRunning, type Transport } from "coxswain/base";
import { Foo, fooDefinition } from "../examples/sample-controller/foo.js";
import { styles } from "../examples/sample-controller/styles.js";
import { envtestAssets, startEnvtest } from "../src/testing/envtest.js";
import type { Run } from "./harness.js";

const count = Number(process.env["BENCH_FOOS"] ?? 1_000);
const creators = 20;
const rounds = 2;
const program = new URL("../examples/sample-controller/main.js", import.meta.url).pathname;

interface Timing {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export const run: Run = async ({ log }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const note = (name: string, { perSecond, p50, p99 }: Timing): void => {
    figures[`${name} (Foos/s)`] = perSecond;
    figures[`${name}, reaction p50 (ms)`] = p50;
    figures[`${name}, reaction p99 (ms)`] = p99;
  };
  for (const [style, start] of Object.entries(styles)) {
    await using server = await startApiServer({});
    let requests = 0;
    const counted: Transport = (request, signal) => {
      if (!/\/events(?:\/|\?|$)/.test(request.path)) requests += 1;
      return server.transport()(request, signal);
    };
    const client = new Client({ transport: server.transport() });
    await define(client);
    await using _controller = startRunning((signal) =>
      start({ client: new Client({ transport: counted }), log: silentLogger }, signal),
    );
    note(`embedded, ${style}`, await create(client, style));
    figures[`embedded, ${style}, requests per Foo without events`] = requests / count;
    log(`embedded, ${style}: done`);
  }
  const assets = envtestAssets();
  if (assets === undefined) {
    log("KUBEBUILDER_ASSETS is not set: only the embedded server is measured");
    return { figures, ratios };
  }
  await using real = await startEnvtest({ assets });
  await using client = await connect({ kubeconfig: real.kubeconfig });
  await define(client);
  const go = process.env["SAMPLE_CONTROLLER"];
  const ours = (...args: readonly string[]): readonly string[] => [process.execPath, program, ...args];
  // the Go program has two workers, fixed in its source; ours have eight and sixteen by default
  const programs: Readonly<Record<string, readonly string[]>> = {
    ...(go === undefined ? {} : { Go: [go] }),
    "low-level": ours(),
    "high-level": ours("--style", "high-level"),
    "low-level with 2 workers": ours("--workers", "2"),
    "high-level with 2 workers": ours("--style", "high-level", "--workers", "2"),
  };
  const best = new Map<string, RealRun>();
  let runs = 0;
  // in turns: a server that has just started is slower, and the load of the machine varies
  for (let round = 1; round <= rounds; round++) {
    for (const [name, command] of Object.entries(programs)) {
      const run = await onRealServer(client, [...command, "--kubeconfig", real.kubeconfig], `run-${++runs}`);
      if (run.timing.perSecond > (best.get(name)?.timing.perSecond ?? 0)) best.set(name, run);
      log(`real, round ${round}, ${name}: ${Math.round(run.timing.perSecond)} Foos/s`);
    }
  }
  for (const [name, { timing, cpuMs, requests, events }] of best) {
    note(`real, ${name}`, timing);
    figures[`real, ${name}, requests per Foo without events`] = requests / count;
    figures[`real, ${name}, requests for events per Foo meanwhile`] = events / count;
    figures[`real, ${name}, processor time per Foo (ms)`] = cpuMs / count;
    const peer = best.get("Go")?.timing.perSecond;
    if (peer !== undefined && name !== "Go")
      ratios[`${name}: faster than Go on the real server`] = timing.perSecond / peer;
  }
  return { figures, ratios };
};

interface RealRun {
  readonly timing: Timing;
  /** The CPU time of the controller. */
  readonly cpuMs: number;
  readonly requests: number;
  readonly events: number;
}

/** Starts the controller as a process, and ends it when its Foos have their statuses. */
async function onRealServer(client: Client, command: readonly string[], namespace: string): Promise<RealRun> {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { stdio: "ignore" });
  try {
    await ready(client, namespace);
    const before = { requests: await requestsOf(client), cpuMs: cpuMsOf(child.pid) };
    const timing = await create(client, namespace);
    const cpuMs = cpuMsOf(child.pid) - before.cpuMs;
    const after = await requestsOf(client);
    const events = after.events - before.requests.events;
    // without our own creations of Foos
    return { timing, cpuMs, requests: after.others - before.requests.others - count, events };
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
    await client.resource(Foo, { namespace }).deleteCollection({});
    await client.resource(Deployment, { namespace }).deleteCollection({});
  }
}

/** The real server's counts of requests for Foos and Deployments, and for events; without watches. */
async function requestsOf(client: Client): Promise<{ readonly events: number; readonly others: number }> {
  const text = await client.getText("/metrics");
  let [events, others] = [0, 0];
  for (const [, labels = "", value = ""] of text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const [verb = "", resource = ""] = ["verb", "resource"].map(
      (label) => new RegExp(`\\b${label}="([^"]*)"`).exec(labels)?.[1],
    );
    if (verb === "WATCH") continue;
    if (resource === "events") events += Number(value);
    else if (resource === "foos" || resource === "deployments") others += Number(value);
  }
  return { events, others };
}

/** User and system time of a process, where there is a /proc. */
function cpuMsOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

async function define(client: Client): Promise<void> {
  const crd = fooDefinition();
  const crds = client.resource(CustomResourceDefinition);
  await crds.create(crd);
  const established = (now: CustomResourceDefinition | undefined): boolean =>
    now?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  await crds.waitFor(crd.metadata, established, { signal: AbortSignal.timeout(30_000) });
}

/** Waits for the status of a first Foo, in a namespace of its own, as a sign that the controller runs. */
async function ready(client: Client, namespace: string): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const foos = client.resource(Foo, { namespace });
  await foos.create({ metadata: { name: "first" }, spec: { deploymentName: "first", replicas: 1 } });
  await foos.waitFor("first", (foo) => foo?.status !== undefined, { signal: AbortSignal.timeout(60_000) });
}

/**
 * Measures from the first request to the last status; a reaction is the time from the answer to a create to the status
 * in a watch.
 */
async function create(client: Client, namespace: string): Promise<Timing> {
  await client.resource(Namespace).createOrUpdate(namespace, (now) => now ?? { metadata: { name: namespace } });
  const foos = client.resource(Foo, { namespace });
  const createdAt = new Map<string, number>();
  const shownAt = new Map<string, number>();
  await using _watch = startRunning(async (signal) => {
    for await (const { type, object } of foos.watch({ signal }))
      if (
        type === "MODIFIED" &&
        "status" in object &&
        object.metadata.name !== "first" &&
        !shownAt.has(object.metadata.name)
      )
        shownAt.set(object.metadata.name, performance.now());
  });
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: creators }, async () => {
      while (next < count) {
        const name = `foo-${next++}`;
        await foos.create({ metadata: { name }, spec: { deploymentName: name, replicas: 1 } });
        createdAt.set(name, performance.now());
      }
    }),
  );
  while (shownAt.size < count) await new Promise((resolve) => setTimeout(resolve, 5));
  const end = Math.max(...shownAt.values());
  const reactions = [...shownAt]
    .map(([name, at]) => Math.max(0, at - (createdAt.get(name) ?? at)))
    .toSorted((one, other) => one - other);
  const at = (share: number): number => reactions[Math.floor(reactions.length * share)] ?? Number.NaN;
  return { perSecond: (count * 1_000) / (end - start), p50: at(0.5), p99: at(0.99) };
}
