/** The cost of the page for the watched process: one second of 1,000 reconciles in 40 controllers and 30 informers, with 0, 1 and 10 pages open. */
import { FakeClock, MetricsRegistry } from "../src/base/index.js";
import { type ControllerFigures, Journal, KeyLoop } from "../src/controller/index.js";
import type { ShownInformer } from "../src/dashboard/index.js";
import { Hub } from "../src/dashboard/stream/hub.js";
import { Pod } from "../src/api/index.js";
import { median, type Run } from "./harness.js";

const runsASecond = 1_000;
const keys = 100_000;
const rounds = 9;

/** An informer as the page reads it, with figures that change as those of a busy one do. */
function informer(i: number, moved: { events: number }): ShownInformer["informer"] {
  const handlers = Array.from({ length: 8 }, (_, h) => ({ name: `controller-${h}`, pending: 0, hasSynced: true }));
  return {
    name: `v1/kind-${i}`,
    type: { ...Pod, kind: `Kind${i}`, plural: `kind-${i}` },
    indexer: { size: keys, lastStoreSyncResourceVersion: "7", indexers: { namespace: () => [] } },
    hasSynced: true,
    queued: 0,
    handlers,
    estimatedBytes: 1e8,
    get reflector() {
      const activity = {
        lists: 1,
        watches: 1,
        events: moved.events + i,
        failures: 0,
        lastEventAt: moved.events,
        lastBookmarkAt: 0,
      };
      return {
        name: "",
        lastSyncResourceVersion: String(moved.events),
        isWatching: true,
        lastError: undefined,
        phase: "follow",
        activity,
      };
    },
  } as unknown as ShownInformer["informer"];
}

function rig(viewers: number) {
  const clock = new FakeClock();
  const journal = new Journal();
  const moved = { events: 0 };
  const informers = Array.from({ length: 30 }, (_, i) => ({ cluster: "", informer: informer(i, moved) }));
  const figures = (i: number): ControllerFigures => {
    const none = { delayed: 0, active: 1, failing: 0, dead: 0, slowed: 0, paused: 0, overdue: 0 };
    return {
      name: `controller-${i}`,
      kind: "Pod",
      concurrency: 4,
      ready: moved.events % 7,
      ...none,
      runs: moved.events,
    };
  };
  const loops = Array.from({ length: 40 }, (_, i) => {
    return { name: `controller-${i}`, figures: () => figures(i), keys: async () => ({ total: 0, rows: [] }) };
  });
  const sources = { title: "bench", informers: () => informers, loops: () => loops, journal: () => journal };
  const rest = { metrics: new MetricsRegistry(), client: () => undefined, problems: () => [] };
  const hub = new Hub({ sources: { ...sources, ...rest }, clock, epoch: "bench" });
  let sent = 0;
  for (let i = 0; i < viewers; i++) hub.view({ send: (_, data) => (sent += data.length) > 0 }, undefined);
  const second = async (): Promise<void> => {
    for (let i = 0; i < runsASecond; i++) {
      moved.events++;
      journal.add(entry(i));
      if (i % 10 === 0) await clock.advance(10);
    }
  };
  return { hub, second, sent: () => sent };
}

const entry = (run: number) => ({
  run,
  controller: `controller-${run % 40}`,
  key: `default/pod-${run}`,
  startedAt: run,
  durationMs: 1,
  waitedMs: 0.1,
  reasons: [{ type: "updated", kind: "Pod", key: `default/pod-${run}`, revision: String(run) }] as const,
  omittedReasons: 0,
  reads: [],
  writes: [],
  omitted: 0,
  result: { type: "done" } as const,
});

export const run: Run = async ({ log }) => {
  const rigs = [0, 1, 10].map((viewers) => ({ viewers, times: [] as number[], ...rig(viewers) }));
  for (let round = 0; round < rounds; round++) {
    for (const { second, times } of rigs) {
      globalThis.gc?.();
      const begin = performance.now();
      await second();
      times.push(performance.now() - begin);
    }
  }
  for (const { hub } of rigs) hub[Symbol.dispose]();
  const [none = 0, one = 0, ten = 0] = rigs.map(({ times }) => median(times));
  log(`a second takes ${none.toFixed(2)} ms without a page, ${one.toFixed(2)} with one, ${ten.toFixed(2)} with ten`);
  return {
    figures: {
      "of a core with 1 page (%)": Math.max(0, one - none) / 10,
      "of a core with 10 pages (%)": Math.max(0, ten - none) / 10,
      "sent to 1 page in a second (kB)": (rigs[1]?.sent() ?? 0) / rounds / 1_000,
      ...(await findFigures()),
    },
    ratios: {},
  };
};

/** The time until keys are found, and the longest time for which the search holds the event loop. */
async function findFigures(): Promise<Readonly<Record<string, number>>> {
  const host = { journal: new Journal() };
  const loop = new KeyLoop({ name: "pods", kind: "Pod", workers: 1, host, sync: async () => {} });
  for (let i = 0; i < keys; i++) loop.add(`default/pod-${i}`, {}, i % 2 === 0 ? 1_000_000 + i : 0);
  const found: number[] = [];
  const held: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const turns = longestTurn();
    const begin = performance.now();
    for (const state of ["ready", "delayed"] as const) await loop.keys({ state, text: "99", limit: 200 });
    found.push(performance.now() - begin);
    held.push(await turns.end());
  }
  await loop.close();
  return {
    "find keys among 100,000 (ms)": median(found),
    "longest turn of the search (ms)": median(held),
  };
}

/** Measures the longest time between two turns of the event loop. */
function longestTurn(): { end(): Promise<number> } {
  let [last, longest, isOver] = [performance.now(), 0, false];
  const done = new Promise<number>((resolve) => {
    const turn = (): void => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (isOver) resolve(longest);
      else setImmediate(turn);
    };
    setImmediate(turn);
  });
  return {
    end() {
      isOver = true;
      return done;
    },
  };
}
