/**
 * Compares the start of the programs in the place of etcd and kube-apiserver with that of the real ones: the time until
 * /readyz, asked every 100 ms as suites do, the CPU until then, and the memory of both processes at rest. What the two
 * share, Node's own code, counts once. Linux only: work and memory are read from /proc.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { systemClock } from "../src/base/index.js";
import { envtestAssets, startEnvtest } from "../src/testing/envtest.js";
import { cpuMsOf } from "./apiserver/servers.js";
import { median, type Run } from "./harness.js";

const rounds = 5;
const restMs = 1_000;

interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly megabytes: number;
}

export const run: Run = async ({ log }) => {
  const ours = execFileSync(process.execPath, ["dist/cli/main.js", "envtest", "path"], { encoding: "utf8" }).trim();
  const real = envtestAssets();
  if (real === undefined) log("KUBEBUILDER_ASSETS is not set: only the programs in their place are measured");
  const starts = { ours: [] as Start[], real: [] as Start[] };
  for (let round = 0; round < rounds; round++) {
    starts.ours.push(await start(ours));
    if (real !== undefined) starts.real.push(await start(real));
  }
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  for (const [what, unit] of [
    ["readyMs", "ready after (ms)"],
    ["cpuMs", "CPU until ready (ms)"],
    ["megabytes", "memory at rest (MB)"],
  ] as const) {
    const [a, b] = [starts.ours, starts.real].map((all) => median(all.map((one) => one[what]))) as [number, number];
    figures[`ours ${unit}`] = a;
    if (real === undefined) continue;
    figures[`real ${unit}`] = b;
    ratios[`less: ${unit.replace(/ \(.*/, "")}`] = b / a;
  }
  return { figures, ratios };
};

async function start(assets: string): Promise<Start> {
  const startedAt = systemClock.monotonic();
  await using programs = await startEnvtest({ assets });
  const readyMs = systemClock.monotonic() - startedAt;
  const ids = [await programs.etcd.pid(), await programs.apiserver.pid()];
  const cpu = ids.map(cpuMsOf).reduce((sum, one) => sum + one, 0);
  await systemClock.sleep(restMs, new AbortController().signal);
  return { readyMs, cpuMs: cpu, megabytes: megabytesOf(ids) };
}

/** The private memory of all, and the shared memory of the one that has most of it. */
function megabytesOf(ids: readonly number[]): number {
  const parts = ids.map((id) => {
    const text = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
    const sum = (pattern: RegExp): number =>
      [...text.matchAll(pattern)].reduce((total, [, kB]) => total + Number(kB), 0);
    return { own: sum(/^Private_\w+:\s+(\d+)/gm), shared: sum(/^Shared_\w+:\s+(\d+)/gm) };
  });
  const own = parts.reduce((total, one) => total + one.own, 0);
  return ((own + Math.max(...parts.map(({ shared }) => shared))) * 1024) / 1e6;
}
