/**
 * Compares the embedded API server with a real kube-apiserver with etcd, in one run: 1 KB ConfigMaps over TLS on
 * loopback, with the same client. Without KUBEBUILDER_ASSETS only ours is measured.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { load } from "js-yaml";
import { startApiServer } from "../src/apiserver/index.js";
import { Lifetime } from "../src/base/index.js";
import { envtestAssets, startEnvtest } from "../src/testing/envtest.js";
import { type Access, type Load, loadOn } from "./apiserver/load.js";
import type { Run } from "./harness.js";

const objects = Number(process.env["BENCH_OBJECTS"] ?? 10_000);
const watchers = 100;

interface Server extends AsyncDisposable, Access {
  readonly startMs: number;
  /** Megabytes resident, of all its processes. */
  rss(): number;
}

export const run: Run = async ({ log }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const results = new Map<string, Load>();
  const assets = envtestAssets();
  if (assets === undefined) log("KUBEBUILDER_ASSETS is not set: only the embedded server is measured");
  for (const name of assets === undefined ? ["ours"] : ["real", "ours"]) {
    await using server = name === "ours" ? await startOurs() : await startReal(assets as string);
    log(`${name} ready in ${Math.round(server.startMs)} ms`);
    const load = await loadOn(server, { objects, watchers, log: (text) => log(`${name}: ${text}`) });
    const measured = { ...load, startMs: server.startMs, rssMb: server.rss() };
    results.set(name, measured);
    for (const [what, value] of Object.entries(measured)) figures[`${name} ${what}`] = value;
  }
  const [real, ours] = [results.get("real"), results.get("ours")];
  if (real !== undefined && ours !== undefined) {
    for (const what of Object.keys(ours) as (keyof Load)[]) {
      const lower = what.endsWith("Ms") || what.endsWith("Mb");
      ratios[`${what}, ours better`] = lower ? real[what] / ours[what] : ours[what] / real[what];
    }
  }
  const inProcess = await inProcessRates();
  figures["in-process getPerSecond"] = inProcess;
  if (ours !== undefined) ratios["get, in-process over HTTPS"] = inProcess / ours.getPerSecond;
  return { figures, ratios };
};

async function startOurs(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-bench-"));
  const kubeconfig = join(directory, "kubeconfig");
  const main = resolve("dist/cli/main.js");
  if (!existsSync(main)) throw new Error("there is no build: run npm run build first");
  const began = performance.now();
  const child = spawn(process.execPath, [main, "apiserver", "--port", "0", "--kubeconfig-out", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const startMs = performance.now() - began;
  const url = line.toString().trim().replace("ready ", "");
  const { clusters, users } = load(await readFile(kubeconfig, "utf8")) as {
    clusters: { cluster: { "certificate-authority-data": string } }[];
    users: { user: { "client-certificate-data": string; "client-key-data": string } }[];
  };
  const decode = (text: string | undefined): string => Buffer.from(text ?? "", "base64").toString();
  const user = users[0]?.user;
  return {
    url,
    ca: decode(clusters[0]?.cluster["certificate-authority-data"]),
    client: { cert: decode(user?.["client-certificate-data"]), key: decode(user?.["client-key-data"]) },
    startMs,
    rss: () => residentMb(child.pid as number),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startReal(assets: string): Promise<Server> {
  const lifetime = new Lifetime();
  const began = performance.now();
  const { url, ca, token, apiserver, etcd } = lifetime.use(await startEnvtest({ assets }));
  const startMs = performance.now() - began;
  const [server, store] = [await apiserver.pid(), await etcd.pid()];
  return {
    url,
    ca,
    token,
    startMs,
    rss: () => residentMb(server) + residentMb(store),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function residentMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) / 1024;
}

/** The same handler without a socket, one request after another. */
async function inProcessRates(): Promise<number> {
  await using server = await startApiServer();
  const send = server.transport();
  const { signal } = new AbortController();
  const path = "/api/v1/namespaces/default/configmaps";
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "y".repeat(1000) } };
  await send(
    {
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(object)),
    },
    signal,
  );
  const get = { method: "GET", path: `${path}/a`, headers: {} };
  for (let i = 0; i < 2000; i++) await send(get, signal);
  const began = performance.now();
  const count = 20_000;
  for (let i = 0; i < count; i++) await send(get, signal);
  return (count / (performance.now() - began)) * 1000;
}
