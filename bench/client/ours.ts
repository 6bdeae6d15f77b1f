/** Our side of bench/client.ts, in a process of its own. Takes a kubeconfig and commands on standard input; prints JSON lines. */
import { createInterface } from "node:readline";

const startedAt = performance.now();
const rssBefore = process.memoryUsage.rss();
const { connect } = await import("../../src/client/index.js");
const imported = { ms: performance.now() - startedAt, rss: (process.memoryUsage.rss() - rssBefore) / 2 ** 20 };
const argument = process.argv[2] ?? "import";

if (argument === "import") console.log(JSON.stringify(imported));
else await serve(argument);

async function serve(kubeconfig: string): Promise<void> {
  const { ConfigMap, Pod } = await import("../../src/api/generated/core-v1.js");
  await using client = await connect({ kubeconfig });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const pods = client.resource(Pod, { namespace: "bench" });
  await maps.get("bench");
  const watch = stalls();
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, inFlight, count] = line.split(" ");
    watch.reset();
    const cpu = process.cpuUsage();
    const start = performance.now();
    let items = 0;
    if (verb === "list") items = (await pods.list()).items.length;
    else {
      let left = Number(count);
      const worker = async (): Promise<void> => {
        while (left-- > 0) await maps.get("bench");
      };
      await Promise.all(Array.from({ length: Number(inFlight) }, worker));
    }
    const ms = performance.now() - start;
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage(cpu);
    const peakRss = process.resourceUsage().maxRSS / 1024;
    console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakRss, items, stallMs: watch.longest() }));
  }
  watch.stop();
}

/** How long the event loop was held up at most. */
function stalls(): { reset(): void; longest(): number; stop(): void } {
  let longest = 0;
  let last = performance.now();
  const tick = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  };
  const timer = setInterval(tick, 1);
  timer.unref();
  return {
    reset() {
      longest = 0;
      last = performance.now();
    },
    longest() {
      tick();
      return longest;
    },
    stop: () => clearInterval(timer),
  };
}
