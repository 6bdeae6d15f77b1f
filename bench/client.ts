/**
 * Compares the client with others, in one run against one server: a real kube-apiserver if KUBEBUILDER_ASSETS names
 * one, else the embedded one; very long lists come from a server of their own. Client-go is built if a Go toolchain is
 * found, @kubernetes/client-node is installed on demand. BENCH_PHASES=requests,list,long,import selects parts.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ConfigMap, Namespace, Pod } from "../src/api/generated/core-v1.js";
import type { Draft } from "../src/api/object.js";
import { startApiServer } from "../src/apiserver/index.js";
import { Lifetime } from "../src/base/index.js";
import { type Client, connect } from "../src/client/index.js";
import { envtestAssets, startEnvtest } from "../src/testing/envtest.js";
import { allPeers, barePeer, type Peer, type Sample, start } from "./client/peers.js";
import { median, type Report, type Run } from "./harness.js";

const pods = Number(process.env["BENCH_PODS"] ?? 10_000);
const longPods = Number(process.env["BENCH_LONG_PODS"] ?? 100_000);
const rounds = 9;
const phases = (process.env["BENCH_PHASES"] ?? "requests,list,long,import").split(",");

type Values = ReadonlyMap<string, number>;
type Compare = (what: string, unit: string, values: Values, more: "better" | "worse") => void;

export const run: Run = async ({ log }) => {
  const peers = allPeers(log);
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const compare: Compare = (what, unit, values, more) => {
    const mine = values.get("ours") ?? Number.NaN;
    for (const [name, value] of values) {
      figures[`${what}, ${name} (${unit})`] = value;
      if (name !== "ours") ratios[`${what}: better than ${name}`] = more === "better" ? mine / value : value / mine;
    }
  };
  if (phases.includes("requests") || phases.includes("list")) {
    await using server = await startServer(log);
    if (phases.includes("requests")) await compareRequests(peers, server.kubeconfig, compare);
    log("requests done");
    if (phases.includes("list")) await compareLists(peers, { kubeconfig: server.kubeconfig, count: pods, compare });
    log("lists done");
  }
  if (phases.includes("long")) await compareLongLists(peers, compare);
  if (phases.includes("import")) await compareImports(peers, compare);
  return { figures, ratios } satisfies Report;
};

async function compareRequests(peers: readonly Peer[], kubeconfig: string, compare: Compare): Promise<void> {
  for (const [inFlight, requests] of [
    [1, 400],
    [32, 1_500],
  ] as const) {
    const samples = await takeTurns([...peers, barePeer], kubeconfig, `get ${inFlight} ${requests}`);
    const title = `requests, ${inFlight} in flight`;
    const rates = mapped(samples, ({ ms }) => (requests * 1000) / ms);
    compare(title, "1/s", rates, "better");
    const cpu = mapped(samples, ({ cpuMs }) => (cpuMs * 1000) / requests);
    compare(`${title}, CPU each`, "µs", cpu, "worse");
  }
}

interface ListComparison {
  readonly kubeconfig: string;
  readonly count: number;
  readonly compare: Compare;
}

async function compareLists(peers: readonly Peer[], { kubeconfig, count, compare }: ListComparison): Promise<void> {
  const lists = await freshProcesses(peers, { kubeconfig, command: "list", count, rounds: count > 20_000 ? 1 : 3 });
  const title = `list of ${count} pods`;
  const ms = mapped(lists, (sample) => sample.ms);
  compare(title, "ms", ms, "worse");
  const cpu = mapped(lists, ({ cpuMs }) => cpuMs);
  compare(`${title}, CPU`, "ms", cpu, "worse");
  const rss = mapped(lists, ({ peakRss }) => peakRss);
  compare(`${title}, peak RSS`, "MB", rss, "worse");
  const stalls = new Map([...lists].filter(([, all]) => all[0]?.stallMs !== undefined));
  const stall = mapped(stalls, ({ stallMs = 0 }) => stallMs);
  compare(`${title}, longest turn`, "ms", stall, "worse");
}

/** Our list as a whole, in pages item by item (which keeps nothing), and in pages collected. */
async function compareLongLists(peers: readonly Peer[], compare: Compare): Promise<void> {
  await using server = await startLongList();
  const { kubeconfig } = server;
  await compareLists(
    peers.filter(({ name }) => name !== "client-go (protobuf)"),
    { kubeconfig, count: longPods, compare },
  );
  const own = peers.slice(0, 1);
  for (const command of ["each", "list-all"]) {
    const lists = await freshProcesses(own, { kubeconfig, command, count: longPods, rounds: 1 });
    const title = `${longPods} pods in pages${command === "each" ? ", one by one" : ", collected"}`;
    const parts = { ms: "ms", peakRss: "MB", stallMs: "ms" } as const;
    const names = { ms: "", peakRss: ", peak RSS", stallMs: ", longest turn" } as const;
    for (const part of ["ms", "peakRss", "stallMs"] as const) {
      const values = mapped(lists, (sample) => sample[part] ?? 0);
      compare(title + names[part], parts[part], values, "worse");
    }
  }
}

async function compareImports(peers: readonly Peer[], compare: Compare): Promise<void> {
  const nodes = peers.filter(({ name }) => !name.startsWith("client-go"));
  const imports = await imported(nodes);
  const ms = mapped(imports, (sample) => sample.ms);
  compare("import", "ms", ms, "worse");
  const rss = mapped(imports, (sample) => sample.rss);
  compare("import, RSS", "MB", rss, "worse");
  compare("install size", "MB", installSizes(nodes), "worse");
}

function mapped<T>(samples: ReadonlyMap<string, readonly T[]>, value: (sample: T) => number): Map<string, number> {
  return new Map([...samples].map(([name, all]) => [name, median(all.map(value))]));
}

/** All programs start and warm up; then they work in turns, round after round. */
async function takeTurns(
  peers: readonly Peer[],
  kubeconfig: string,
  command: string,
): Promise<Map<string, readonly Sample[]>> {
  await using lifetime = new Lifetime();
  const running = peers.map((peer) => ({ name: peer.name, talk: lifetime.use(start(peer, kubeconfig)) }));
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  for (const { name, talk } of running) if (name !== "client-node") await talk.ask("get 32 3000");
  for (let round = 0; round < rounds; round++) {
    for (const { name, talk } of running) {
      // takes seconds, so two rounds are enough
      if (name === "client-node" && round >= 2) continue;
      samples.get(name)?.push(await talk.ask(command));
    }
  }
  return samples;
}

interface Listing {
  readonly kubeconfig: string;
  readonly command: string;
  readonly count: number;
  readonly rounds: number;
}

async function freshProcesses(
  peers: readonly Peer[],
  { kubeconfig, command, count, rounds: times }: Listing,
): Promise<Map<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  for (let round = 0; round < times; round++) {
    for (const peer of peers) {
      await using talk = start(peer, kubeconfig);
      const sample = await talk.ask(command);
      if (sample.items !== count) throw new Error(`${peer.name} found ${sample.items} pods, not ${count}`);
      samples.get(peer.name)?.push(sample);
    }
  }
  return samples;
}

async function imported(peers: readonly Peer[]): Promise<Map<string, readonly { ms: number; rss: number }[]>> {
  const samples = new Map<string, { ms: number; rss: number }[]>(peers.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, command, cwd } of peers) {
      const [program = "", ...args] = command;
      const { stdout } = spawnSync(program, [...args, "import"], { cwd, encoding: "utf8" });
      samples.get(name)?.push(JSON.parse(stdout) as { ms: number; rss: number });
    }
  }
  return samples;
}

/** Ours with all dependencies of the package, not the client alone. */
function installSizes(peers: readonly Peer[]): Map<string, number> {
  const own = ["dist", "src", ...["js-yaml", "commander", "ws"].map((name) => join("node_modules", name))];
  return new Map(
    peers.map(({ name, cwd = "" }) => {
      const folders = name === "ours" ? own : [join(cwd, "node_modules")];
      return [name, folders.reduce((sum, folder) => sum + sizeOf(folder), 0) / 2 ** 20];
    }),
  );
}

function sizeOf(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return path.endsWith(".test.ts") ? 0 : stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

interface Serving extends AsyncDisposable {
  readonly kubeconfig: string;
}

async function startLongList(): Promise<Serving> {
  const program = fileURLToPath(new URL("./client/long-list.js", import.meta.url));
  const child = spawn(process.execPath, [program, `${longPods}`], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  return {
    kubeconfig: String(value),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((settle) => child.once("close", settle));
      child.stdin.end();
      await ended;
    },
  };
}

async function startServer(log: (message: string) => void): Promise<Serving> {
  const lifetime = new Lifetime();
  const assets = envtestAssets();
  let kubeconfig: string;
  if (assets === undefined) {
    log("KUBEBUILDER_ASSETS leads to no kube-apiserver: the embedded server serves, in this process");
    const folder = await mkdtemp(join(tmpdir(), "coxswain-bench-"));
    lifetime.defer(() => rm(folder, { recursive: true, force: true }));
    const server = lifetime.use(await startApiServer());
    kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, (await server.listen()).kubeconfig);
  } else {
    ({ kubeconfig } = lifetime.use(await startEnvtest({ assets })));
  }
  await using client = await connect({ kubeconfig });
  await seed(client);
  log(`${pods} pods are there`);
  return { kubeconfig, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

async function seed(client: Client): Promise<void> {
  await client.resource(Namespace).create({ metadata: { name: "bench" } });
  await client.resource(ConfigMap, { namespace: "default" }).create({
    metadata: { name: "bench", labels: { app: "bench" } },
    data: { colour: "blue", size: "large" },
  });
  if (!phases.includes("list")) return;
  const resource = client.resource(Pod, { namespace: "bench" });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < pods) await resource.create(podOf(next++));
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

function podOf(index: number): Draft<Pod> {
  const name = `web-${index}`;
  const env = Array.from({ length: 6 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `value ${n} of ${name}` }));
  const resources = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } };
  return {
    metadata: {
      name,
      labels: { app: "web", tier: "front", shard: `${index % 50}` },
      annotations: { "example.test/index": `${index}` },
    },
    spec: {
      containers: [{ name: "main", image: "example.test/web:1.2.3", env, resources, ports: [{ containerPort: 8080 }] }],
    },
  };
}
