/**
 * The measured program: one informer on pods, some handlers. Arguments: server, objects, events, handlers, the parts
 * that handlers read ("metadata" or "everything"), the way to list ("stream" or "list"), and "watched" to measure peak
 * and stalls, which itself takes a few percent of the time. Prints one line of JSON.
 */
import { request } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Pod } from "../../src/api/generated/core-v1.js";
import { connect } from "../../src/client/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";

const isWatched = process.argv.includes("watched");
const [server = "", objectsText = "0", eventsText = "0", handlersText = "1", read = "metadata", how = "stream"] =
  process.argv.slice(2).filter((argument) => argument !== "watched");
const objects = Number(objectsText);
const events = Number(eventsText);
const handlers = Number(handlersText);

const mega = 1024 * 1024;
const settled = async (): Promise<number> => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

let sink = 0;
const look = (pod: Pod): void => {
  sink += pod.metadata.name.length + (pod.metadata.labels?.["app"]?.length ?? 0);
  if (read === "everything") sink += (pod.spec?.containers.length ?? 0) + (pod.status?.conditions?.length ?? 0);
};

await using client = await connect({ master: server });
const factory = new SharedInformerFactory(client, { tuning: { useWatchList: how === "stream" } });
const informer = factory.informer(Pod);
let updates = 0;
let whenDone = (): void => {};
const done = new Promise<void>((resolve) => {
  whenDone = resolve;
});
for (let i = 0; i < handlers; i++)
  informer.addEventHandler({
    onAdd: look,
    onUpdate(_old, pod) {
      look(pod);
      updates += 1;
      if (updates === events * handlers) whenDone();
    },
  });

const before = await settled();
const delay = monitorEventLoopDelay({ resolution: 1 });
let peak = 0;
let peakArrayBuffers = 0;
const sample = (): void => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  peakArrayBuffers = Math.max(peakArrayBuffers, arrayBuffers);
  peak = Math.max(peak, heapUsed + arrayBuffers - before);
};
const sampling = isWatched ? setInterval(sample, 10) : undefined;
if (isWatched) delay.enable();
const cpuBefore = cpuMicros();
const began = performance.now();
await using _running = factory.start();
await factory.waitForCacheSync({ signal: AbortSignal.timeout(120_000) });
while (informer.handlers.some(({ hasSynced }) => !hasSynced)) await new Promise((resolve) => setImmediate(resolve));
const syncMs = performance.now() - began;
const syncCpu = cpuMicros() - cpuBefore;
delay.disable();
clearInterval(sampling);
const stallMs = delay.max / 1e6;
const rss = process.memoryUsage().rss;
const steady = (await settled()) - before;
if (informer.indexer.size !== objects) throw new Error(`${informer.indexer.size} of ${objects} objects`);

let eventMs = 0;
let eventCpu = 0;
if (events > 0) {
  const cpuStart = cpuMicros();
  const start = performance.now();
  // not by fetch, whose loading would be measured too
  request(`${server}/go`, { method: "POST" }, (response) => response.resume()).end();
  await done;
  eventMs = performance.now() - start;
  eventCpu = cpuMicros() - cpuStart;
}
const steadyAfterEvents = (await settled()) - before;
const result = {
  objectsPerSecond: (objects / syncMs) * 1000,
  eventsPerSecond: events === 0 ? 0 : (events / eventMs) * 1000,
  cpuMicrosPerObject: syncCpu / objects,
  cpuMicrosPerEvent: events === 0 ? 0 : eventCpu / events,
  bytesPerObject: steady / objects,
  bytesPerObjectAfterEvents: steadyAfterEvents / objects,
  rssMegabytes: rss / mega,
  ...(isWatched ? { peakToSteady: peak / steady, peakArrayBuffers: peakArrayBuffers / mega, stallMs } : {}),
  sink,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
