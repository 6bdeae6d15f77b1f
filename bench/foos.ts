/**
 * The sample controller at work: Foos are created at once, each must get its Deployment and its status. Both styles on the embedded server,
 * in this process; where KUBEBUILDER_ASSETS leads to a real kube-apiserver also there, each program as a process of its own, beside the
 * Go sample-controller if SAMPLE_CONTROLLER names its binary (built with `cfg.QPS = -1`, or its client holds itself to five requests a second).
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
const program = new URL("../examples/sample-controller/main.js", import.meta.url).pathname;

interface Timing {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Requests that a server was sent, by resource and verb. */
type Requests = ReadonlyMap<string, number>;

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
  // the Go one has two workers, which is written in it; ours has eight unless it is told otherwise
  const programs: Readonly<Record<string, readonly string[]>> = {
    ...(go === undefined ? {} : { Go: [go] }),
    "low-level": ours(),
    "high-level": ours("--style", "high-level"),
    "low-level with 2 workers": ours("--workers", "2"),
    "high-level with 2 workers": ours("--style", "high-level", "--workers", "2"),
  };
  const rates: Record<string, number> = {};
  for (const [name, [command = "", ...args]] of Object.entries(programs)) {
    const child = spawn(command, [...args, "--kubeconfig", real.kubeconfig], { stdio: "ignore" });
    const namespace = name.toLowerCase().replaceAll(" ", "-");
    try {
      await ready(client, namespace);
      const before = { requests: await requestsOf(client), cpuMs: cpuMsOf(child.pid) };
      const timing = await create(client, namespace);
      note(`real, ${name}`, timing);
      rates[name] = timing.perSecond;
      figures[`real, ${name}, the controller's processor time per Foo (ms)`] =
        (cpuMsOf(child.pid) - before.cpuMs) / count;
      for (const [what, requests] of await requestsOf(client)) {
        const made = requests - (before.requests.get(what) ?? 0) - (what === "POST foos" ? count : 0);
        if (made > 0) figures[`real, ${name}, ${what} per Foo`] = made / count;
      }
    } finally {
      child.kill("SIGTERM");
      await once(child, "exit");
      const scope = { namespace };
      await client.resource(Foo, scope).deleteCollection({});
      await client.resource(Deployment, scope).deleteCollection({});
    }
    log(`real, ${name}: done`);
  }
  for (const [name, rate] of Object.entries(rates))
    if (rates["Go"] !== undefined && name !== "Go")
      ratios[`${name}: faster than Go on the real server`] = rate / rates["Go"];
  return { figures, ratios };
};

/** What the real server counts, without watches. */
async function requestsOf(client: Client): Promise<Requests> {
  const text = await client.getText("/metrics");
  const requests = new Map<string, number>();
  for (const [, labels = "", value = ""] of text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const [verb = "", resource = "", subresource = ""] = ["verb", "resource", "subresource"].map(
      (label) => new RegExp(`\\b${label}="([^"]*)"`).exec(labels)?.[1],
    );
    if (verb === "WATCH" || !["foos", "deployments", "events"].includes(resource)) continue;
    const what = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}`;
    requests.set(what, (requests.get(what) ?? 0) + Number(value));
  }
  return requests;
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

/** A first Foo in the namespace of its own tells that the controller is there. */
async function ready(client: Client, namespace: string): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: namespace } });
  const foos = client.resource(Foo, { namespace });
  await foos.create({ metadata: { name: "first" }, spec: { deploymentName: "first", replicas: 1 } });
  await foos.waitFor("first", (foo) => foo?.status !== undefined, { signal: AbortSignal.timeout(60_000) });
}

/** From the first request to the last status; reactions are from the answer to a create to the status in a watch. */
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
