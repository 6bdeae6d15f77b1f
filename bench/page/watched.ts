/** A process that the page shows: 40 controllers that run 1,000 keys a second, one with 100,000 waiting keys, and 30 informers with 100,000 objects. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type KubeObject, Pod } from "../../src/api/index.js";
import { estimatedBytes } from "../../src/api/decode/index.js";
import { MetricsRegistry } from "../../src/base/index.js";
import { Journal, KeyLoop } from "../../src/controller/index.js";
import { Page, type ShownInformer } from "../../src/dashboard/index.js";
import { Indexer } from "../../src/informer/index.js";

const informerCount = 30;
const controllerCount = 40;
const objects = 100_000;
const runsInTick = 10;
const tickMs = 10;
/** The name of the controller whose keys wait for ever. */
export const full = "full";

export interface Watched extends AsyncDisposable {
  /** Ends with a slash. */
  readonly url: string;
}

export async function startWatched(): Promise<Watched> {
  const journal = new Journal();
  const metrics = new MetricsRegistry();
  const moved = { events: 0 };
  const informers = Array.from({ length: informerCount }, (_, i) => ({ cluster: "", informer: informer(i, moved) }));
  const busy = Array.from({ length: controllerCount }, (_, i) => loopOf(`controller-${i}`, { journal, metrics }));
  const waiting = loopOf(full, { journal, metrics });
  for (let i = 0; i < objects; i++) waiting.add(`default/pod-${i}`);
  const end = new AbortController();
  const running = busy.map((loop) => loop.run({ signal: end.signal }));
  const timer = setInterval(() => {
    for (let i = 0; i < runsInTick; i++) {
      const n = moved.events++;
      const reason = { type: "updated", kind: "Pod", key: `default/pod-${n % objects}`, revision: String(n) } as const;
      busy[n % controllerCount]?.add(reason.key, { reason });
    }
  }, tickMs);
  const loops = [...busy, waiting];
  const page = new Page({
    title: "bench",
    informers: () => informers,
    loops: () => loops,
    journal: () => journal,
    metrics,
    client: () => undefined,
    problems: () => [],
  });
  const server = createServer((request, response) => void page.answer(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      end.abort();
      page[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await Promise.all(running);
      for (const loop of loops) await loop.close();
    },
  };
}

function loopOf(name: string, host: { readonly journal: Journal; readonly metrics: MetricsRegistry }): KeyLoop {
  return new KeyLoop({ name, kind: "Pod", workers: 4, host, sync: async () => {} });
}

/** An informer as the page reads it: its cache is real, and its figures change as those of a busy one do. */
function informer(i: number, moved: { readonly events: number }): ShownInformer["informer"] {
  const cache = new Indexer<KubeObject>();
  const size = Math.ceil(objects / informerCount);
  const pods = Array.from({ length: size }, (_, n) => podOf(`pod-${n}`));
  cache.replace(pods, "7");
  const handlers = Array.from({ length: 8 }, (_, h) => ({
    name: `controller-${h}`,
    pending: 0,
    hasSynced: true,
    failures: 0,
  }));
  const view = {
    name: `v1/kind-${i}`,
    type: { ...Pod, kind: `Kind${i}`, plural: `kind-${i}` },
    indexer: cache,
    hasSynced: true,
    queued: 0,
    handlers,
    get estimatedBytes() {
      let bytes = 0;
      for (const { object } of cache.entries()) bytes += object === pods[0] ? estimatedBytes(object) : 0;
      return bytes * size;
    },
    get reflector() {
      const { events } = moved;
      const seen = { lists: 1, watches: 1, failures: 0, lastBookmarkAt: 0 };
      const activity = { ...seen, events: events + i, bytes: events * 900, lastEventAt: events };
      return {
        lastSyncResourceVersion: String(events),
        isWatching: true,
        lastError: undefined,
        phase: "follow",
        activity,
      };
    },
  };
  return view as unknown as ShownInformer["informer"];
}

const podOf = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", resourceVersion: "7" },
});
