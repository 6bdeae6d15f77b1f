/**
 * The client beside others, in one run against one server: a real kube-apiserver where KUBEBUILDER_ASSETS leads to one, else the
 * embedded one. Client-go is built where a Go toolchain is found, @kubernetes/client-node is installed on demand.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ConfigMap, Namespace, Pod } from "../src/api/generated/core-v1.js";
import type { Draft } from "../src/api/object.js";
import { startApiServer } from "../src/apiserver/index.js";
import { Lifetime } from "../src/base/index.js";
import { type Client, connect } from "../src/client/index.js";
import { envtestAssets, startEnvtest } from "../src/testing/envtest.js";
import { median, type Run } from "./harness.js";

const pods = Number(process.env["BENCH_PODS"] ?? 10_000);
const requests = 2_000;
const rounds = 5;
const listRounds = 3;
const cache = resolve(".cache", "bench");

/** How to start a program that does the work. */
interface Peer {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd?: string;
}

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
  /** In MB. */
  readonly peakRss: number;
  readonly items: number;
  readonly stallMs?: number;
}

export const run: Run = async ({ log }) => {
  mkdirSync(cache, { recursive: true });
  await using server = await startServer(log);
  const ours: Peer = {
    name: "ours",
    command: [process.execPath, fileURLToPath(new URL("./client/ours.js", import.meta.url))],
  };
  const peers = [ours, ...goPeers(log), nodePeer(log)].filter((peer) => peer !== undefined);
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const compare = (what: string, unit: string, values: ReadonlyMap<string, number>, more: "better" | "worse"): void => {
    const mine = values.get("ours") ?? Number.NaN;
    for (const [name, value] of values) {
      figures[`${what}, ${name} (${unit})`] = value;
      if (name !== "ours") ratios[`${what}: better than ${name}`] = more === "better" ? mine / value : value / mine;
    }
  };
  for (const inFlight of [1, 32]) {
    const samples = await takeTurns(peers, server.kubeconfig, `get ${inFlight} ${requests}`);
    const title = `requests, ${inFlight} in flight`;
    compare(
      title,
      "1/s",
      mapped(samples, ({ ms }) => (requests * 1000) / ms),
      "better",
    );
    compare(
      `${title}, CPU each`,
      "µs",
      mapped(samples, ({ cpuMs }) => (cpuMs * 1000) / requests),
      "worse",
    );
    log(`${title} done`);
  }
  const lists = await freshProcesses(peers, server.kubeconfig, "list");
  compare(
    `list of ${pods} pods`,
    "ms",
    mapped(lists, ({ ms }) => ms),
    "worse",
  );
  compare(
    `list of ${pods} pods, CPU`,
    "ms",
    mapped(lists, ({ cpuMs }) => cpuMs),
    "worse",
  );
  compare(
    `list of ${pods} pods, peak RSS`,
    "MB",
    mapped(lists, ({ peakRss }) => peakRss),
    "worse",
  );
  const stalls = new Map([...lists].filter(([, all]) => all[0]?.stallMs !== undefined));
  compare(
    `list of ${pods} pods, longest stall`,
    "ms",
    mapped(stalls, ({ stallMs = 0 }) => stallMs),
    "worse",
  );
  const nodes = peers.filter(({ name }) => !name.startsWith("client-go"));
  const imports = await imported(nodes);
  compare(
    "import",
    "ms",
    mapped(imports, ({ ms }) => ms),
    "worse",
  );
  compare(
    "import, RSS",
    "MB",
    mapped(imports, ({ rss }) => rss),
    "worse",
  );
  compare("install size", "MB", installSizes(nodes), "worse");
  return { figures, ratios };
};

function mapped<T>(samples: ReadonlyMap<string, readonly T[]>, value: (sample: T) => number): Map<string, number> {
  return new Map([...samples].map(([name, all]) => [name, median(all.map(value))]));
}

/** A program that answers each line with a line. */
interface Conversation extends AsyncDisposable {
  ask(command: string): Promise<Sample>;
}

function start({ command: [program = "", ...args], cwd }: Peer, argument: string): Conversation {
  const child = spawn(program, [...args, argument], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(command) {
      child.stdin.write(`${command}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${program} ended`);
      return JSON.parse(value) as Sample;
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await ended;
    },
  };
}

/** All programs run; they work one after another, round after round, the first of which only warms up. */
async function takeTurns(
  peers: readonly Peer[],
  kubeconfig: string,
  command: string,
): Promise<Map<string, readonly Sample[]>> {
  await using lifetime = new Lifetime();
  const running = peers.map((peer) => ({ name: peer.name, talk: lifetime.use(start(peer, kubeconfig)) }));
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, talk } of running) {
      const sample = await talk.ask(command);
      if (round > 0) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

async function freshProcesses(
  peers: readonly Peer[],
  kubeconfig: string,
  command: string,
): Promise<Map<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>(peers.map(({ name }) => [name, []]));
  for (let round = 0; round < listRounds; round++) {
    for (const peer of peers) {
      await using talk = start(peer, kubeconfig);
      const sample = await talk.ask(command);
      if (sample.items !== pods) throw new Error(`${peer.name} found ${sample.items} pods, not ${pods}`);
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

/** Ours with all that its package brings along, not the client alone. */
function installSizes(peers: readonly Peer[]): Map<string, number> {
  const own = [
    "dist",
    ...["yaml", "commander", "ws", "@marcbachmann/cel-js"].map((name) => join("node_modules", name)),
  ];
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
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

async function startServer(log: (message: string) => void): Promise<AsyncDisposable & { readonly kubeconfig: string }> {
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

/** Client-go speaks protobuf with built-in kinds unless it is told not to. */
function goPeers(log: (message: string) => void): readonly Peer[] {
  const program = join(cache, "client-go");
  const cwd = join("bench", "peers", "client-go");
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd, encoding: "utf8" });
  if (built.status === 0) {
    return ["protobuf", "json"].map((form) => ({ name: `client-go (${form})`, command: [program, form] }));
  }
  log(`no comparison with client-go: ${built.error?.message ?? built.stderr}`);
  return [];
}

function nodePeer(log: (message: string) => void): Peer | undefined {
  const folder = join(cache, "client-node-1.4");
  mkdirSync(folder, { recursive: true });
  const program = resolve("bench", "peers", "client-node", "main.mjs");
  const peer = { name: "client-node", command: [process.execPath, program], cwd: folder };
  if (existsSync(join(folder, "node_modules", "@kubernetes", "client-node"))) return peer;
  const args = ["install", "--no-save", "--no-package-lock", "--prefix", folder, "@kubernetes/client-node@1.4.0"];
  const installed = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (installed.status === 0) return peer;
  log(`no comparison with client-node: ${installed.error?.message ?? installed.stderr}`);
  return undefined;
}
