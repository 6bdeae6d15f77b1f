/**
 * The latency of a light reader beside many writers and watchers: a person's request while controllers are busy. Server,
 * noise and reader are three processes; every client has a service account's token. BENCH_SECONDS sets the time of each
 * measurement, BENCH_REAL=1 adds a real kube-apiserver. Linux only: work is read from /proc.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Lifetime } from "../src/base/index.js";
import { envtestAssets } from "../src/testing/envtest.js";
import { type Access, httpOn } from "./apiserver/load.js";
import { type Server, startOurs, startReal } from "./apiserver/servers.js";
import type { Latencies } from "./fairness/reader.js";
import { workOf } from "./fairness/work.js";
import type { Run } from "./harness.js";

const seconds = Number(process.env["BENCH_SECONDS"] ?? 10);
const [writers, watchers] = [64, 500];

export const run: Run = async ({ log }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  await using servers = new Lifetime();
  const all = new Map<string, Server>([["ours", servers.use(await startOurs())]]);
  const assets = process.env["BENCH_REAL"] === "1" ? envtestAssets() : undefined;
  if (assets !== undefined) all.set("real", servers.use(await startReal(assets)));
  for (const [name, server] of all) {
    const { reader, noisy } = await accounts(server);
    const measure = (): Promise<Latencies> => ask<Latencies>("reader.js", { access: reader, pid: server.pid, seconds });
    await measure();
    const idle = await measure();
    await using noise = await startNoise(noisy);
    const before = workOf(server.pid);
    const busy = await measure();
    const made = await noise.stop();
    const work = workOf(server.pid) - before;
    for (const [what, { time, work: worked }] of Object.entries({ idle, busy })) {
      figures[`${name}, ${what}, median (ms)`] = time.p50;
      figures[`${name}, ${what}, p99 (ms)`] = time.p99;
      figures[`${name}, ${what}, server's work during a read, median (ms)`] = worked.p50;
      figures[`${name}, ${what}, server's work during a read, p99 (ms)`] = worked.p99;
    }
    figures[`${name}, writes meanwhile (1/s)`] = made.writes / made.seconds;
    figures[`${name}, events meanwhile (1/s)`] = made.events / made.seconds;
    figures[`${name}, server's work for an event (µs)`] = (work * 1000) / made.events;
    figures[`${name}, p99 beside the noise (× idle)`] = busy.time.p99 / idle.time.p99;
    figures[`${name}, p99 of work beside the noise (× idle)`] = busy.work.p99 / idle.work.p99;
    log(`${name}: measured`);
  }
  return { figures, ratios };
};

const programOf = (file: string): string => fileURLToPath(new URL(`./fairness/${file}`, import.meta.url));

async function ask<T>(file: string, task: object): Promise<T> {
  const child = fork(programOf(file));
  child.send(task);
  const [answer] = (await once(child, "message")) as [T];
  await once(child, "exit");
  return answer;
}

interface Made {
  readonly writes: number;
  readonly events: number;
  readonly seconds: number;
}

async function startNoise(access: readonly Access[]): Promise<AsyncDisposable & { stop(): Promise<Made> }> {
  const child = fork(programOf("noise.js"));
  const exited = once(child, "exit");
  child.send({ access, writers, watchers });
  await once(child, "message");
  return {
    async stop() {
      child.send("stop");
      const [made] = (await once(child, "message")) as [Made];
      await exited;
      return made;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

/** Accounts that may do everything with ConfigMaps: one for the reader, eight for the noise. */
async function accounts(server: Server): Promise<{ readonly reader: Access; readonly noisy: readonly Access[] }> {
  const http = httpOn(server);
  try {
    const roles = "/apis/rbac.authorization.k8s.io/v1";
    const path = "/api/v1/namespaces/default/serviceaccounts";
    const names = ["reader", ...Array.from({ length: 8 }, (_, i) => `noisy-${i}`)];
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
    await http.send("POST", `${roles}/clusterroles`, { metadata: { name: "fairness" }, rules });
    await http.send("POST", `${roles}/clusterrolebindings`, {
      metadata: { name: "fairness" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "fairness" },
      subjects: names.map((name) => ({ kind: "ServiceAccount", name, namespace: "default" })),
    });
    const all: Access[] = [];
    for (const name of names) {
      await http.send("POST", path, { metadata: { name } });
      const answer = await http.send("POST", `${path}/${name}/token`, { spec: {} });
      const { token } = (JSON.parse(answer.toString()) as { status: { token: string } }).status;
      all.push({ url: server.url, ca: server.ca, token });
    }
    const [reader, ...noisy] = all;
    return { reader: reader as Access, noisy };
  } finally {
    http.close();
  }
}
