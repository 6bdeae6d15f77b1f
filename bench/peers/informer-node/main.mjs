// The same work as bench/informer/ours.ts, done by @kubernetes/client-node. Arguments: server, objects, events.
// Prints one line of JSON. Run in a folder where the package is installed.
import { request } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const { CoreV1Api, KubeConfig, makeInformer } = await import(
  pathToFileURL(require.resolve("@kubernetes/client-node")).href
);

const [server, objectsText, eventsText] = process.argv.slice(2);
const objects = Number(objectsText);
const events = Number(eventsText);
const settled = async () => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const config = new KubeConfig();
config.loadFromClusterAndUser({ name: "bench", server, skipTLSVerify: true }, { name: "bench" });
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
let adds = 0;
let updates = 0;
let sink = 0;
let synced;
let done;
const whenSynced = new Promise((resolve) => (synced = resolve));
const whenDone = new Promise((resolve) => (done = resolve));
informer.on("add", (pod) => {
  sink += pod.metadata.name.length;
  if (++adds === objects) synced();
});
informer.on("update", (pod) => {
  sink += pod.metadata.name.length;
  if (++updates === events) done();
});
informer.on("error", (error) => console.error(error));
const cpuMicros = () => process.cpuUsage().user + process.cpuUsage().system;
const before = await settled();
const cpuBefore = cpuMicros();
const began = performance.now();
void informer.start();
await whenSynced;
const syncMs = performance.now() - began;
const syncCpu = cpuMicros() - cpuBefore;
const rss = process.memoryUsage().rss;
const steady = (await settled()) - before;
await new Promise((resolve) => setTimeout(resolve, 500));
const cpuStart = cpuMicros();
const start = performance.now();
// not by fetch, whose loading would be measured too
request(`${server}/go`, { method: "POST" }, (response) => response.resume()).end();
await whenDone;
const eventMs = performance.now() - start;
const eventCpu = cpuMicros() - cpuStart;
console.log(
  JSON.stringify({
    objectsPerSecond: (objects / syncMs) * 1000,
    eventsPerSecond: (events / eventMs) * 1000,
    cpuMicrosPerObject: syncCpu / objects,
    cpuMicrosPerEvent: eventCpu / events,
    bytesPerObject: steady / objects,
    rssMegabytes: rss / 1024 / 1024,
    sink,
  }),
);
process.exit(0);
