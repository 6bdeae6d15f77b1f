/** The two servers that are measured: ours as a process, and a real kube-apiserver with etcd. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { load } from "js-yaml";
import { Lifetime } from "../../src/base/index.js";
import { startEnvtest } from "../../src/testing/envtest.js";
import type { Access } from "./load.js";

export interface Server extends AsyncDisposable, Access {
  readonly startMs: number;
  readonly pid: number;
  /** Megabytes resident, of all its processes. */
  rss(): number;
  /** Milliseconds of CPU that all its processes have used. */
  cpuMs(): number;
}

export async function startOurs(): Promise<Server> {
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
    pid: child.pid as number,
    rss: () => residentMb(child.pid as number),
    cpuMs: () => cpuMsOf(child.pid as number),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function startReal(assets: string): Promise<Server> {
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
    pid: server,
    rss: () => residentMb(server) + residentMb(store),
    cpuMs: () => cpuMsOf(server) + cpuMsOf(store),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function residentMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) / 1024;
}

/** Linux counts in hundredths of a second; the fields follow the name, which is in parentheses. */
export function cpuMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [fields[11], fields[12]];
  return (Number(user) + Number(system)) * 10;
}
