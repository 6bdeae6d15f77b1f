// The same work as bench/client/ours.ts, done by @kubernetes/client-node; run in the folder in which it is installed.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const beforeImport = performance.now();
const rssBefore = process.memoryUsage.rss();
const { CoreV1Api, KubeConfig } = await import(pathToFileURL(require.resolve("@kubernetes/client-node")).href);
const imported = { ms: performance.now() - beforeImport, rss: (process.memoryUsage.rss() - rssBefore) / 2 ** 20 };

if (process.argv[2] === "import") {
  console.log(JSON.stringify(imported));
  process.exit(0);
}

const config = new KubeConfig();
config.loadFromFile(process.argv[2]);
const api = config.makeApiClient(CoreV1Api);
const get = () => api.readNamespacedConfigMap({ namespace: "default", name: "bench" });
await get();

async function work(command) {
  const [verb, inFlight, count] = command.split(" ");
  if (verb === "list") return (await api.listNamespacedPod({ namespace: "bench" })).items.length;
  let left = Number(count);
  await Promise.all(
    Array.from({ length: Number(inFlight) }, async () => {
      while (left-- > 0) await get();
    }),
  );
  return 0;
}

let longest = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last - 1);
  last = now;
}, 1).unref();

for await (const line of createInterface({ input: process.stdin })) {
  longest = 0;
  last = performance.now();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const items = await work(line);
  const ms = performance.now() - start;
  await new Promise((resolve) => setImmediate(resolve));
  longest = Math.max(longest, performance.now() - last - 1);
  const { user, system } = process.cpuUsage(cpu);
  const peakRss = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakRss, items, stallMs: longest }));
}
process.exit(0);
