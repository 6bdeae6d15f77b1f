/**
 * Compares the embedded API server with a real kube-apiserver with etcd, in one run: 1 KB ConfigMaps over TLS on
 * loopback, with the same client. Without KUBEBUILDER_ASSETS only ours is measured.
 */
import { startApiServer } from "../src/apiserver/index.js";
import { envtestAssets } from "../src/testing/envtest.js";
import { type Load, loadOn } from "./apiserver/load.js";
import { startOurs, startReal } from "./apiserver/servers.js";
import type { Run } from "./harness.js";

const objects = Number(process.env["BENCH_OBJECTS"] ?? 10_000);
const watchers = 100;

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
