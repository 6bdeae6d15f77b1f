/** Our side of bench/client.ts, in a process of its own. Takes a kubeconfig and commands on standard input; prints JSON lines. */
import { resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const argument = process.argv[2] ?? "import";
if (argument === "import") await importAlone();
else await serve(argument);

/** Imports the built package, as a user does. */
async function importAlone(): Promise<void> {
  const path = pathToFileURL(resolve("dist", "client", "index.js")).href;
  const rssBefore = process.memoryUsage.rss();
  const startedAt = performance.now();
  await import(path);
  const ms = performance.now() - startedAt;
  console.log(JSON.stringify({ ms, rss: (process.memoryUsage.rss() - rssBefore) / 2 ** 20 }));
}

async function serve(kubeconfig: string): Promise<void> {
  const { connect } = await import("../../src/client/index.js");
  const { ConfigMap, Pod } = await import("../../src/api/generated/core-v1.js");
  await using client = await connect({ kubeconfig });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const pods = client.resource(Pod, { namespace: "bench" });
  await maps.get("bench");
  /** Work by verb; gives the number of items found. */
  const work: Readonly<Record<string, (inFlight: number, count: number) => Promise<number>>> = {
    list: async () => (await pods.list()).items.length,
    "list-all": async () => (await pods.listAll()).items.length,
    async each() {
      let items = 0;
      for await (const _ of pods.each()) items++;
      return items;
    },
    async get(inFlight, count) {
      let left = count;
      const worker = async (): Promise<void> => {
        while (left-- > 0) await maps.get("bench");
      };
      await Promise.all(Array.from({ length: inFlight }, worker));
      return 0;
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb = "", inFlight, count] = line.split(" ");
    // sampling has a cost, so short requests are not sampled
    const turns = verb === "get" ? undefined : monitorEventLoopDelay({ resolution: 1 });
    turns?.enable();
    const cpu = process.cpuUsage();
    const start = performance.now();
    const items = (await work[verb]?.(Number(inFlight), Number(count))) ?? 0;
    const ms = performance.now() - start;
    await new Promise((settle) => setImmediate(settle));
    const { user, system } = process.cpuUsage(cpu);
    const peakRss = process.resourceUsage().maxRSS / 1024;
    const stallMs = turns === undefined ? undefined : Math.max(0, turns.max / 1e6 - 1);
    turns?.disable();
    console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakRss, items, stallMs }));
  }
}
