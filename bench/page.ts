/**
 * The cost of open pages for the process that they show, with 1,000 reconciles a second in 40 controllers, 30 informers with
 * 100,000 objects and a queue of 100,000 keys: the processor time of 0, 1 and 10 pages, which ask as a browser does, from another
 * process; and the search among those keys.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Journal, KeyLoop } from "../src/controller/index.js";
import { median, type Run } from "./harness.js";
import type { Viewing } from "./page/viewers.js";
import { full, startWatched } from "./page/watched.js";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5);
const windowMs = 5_000;
/** The most that an open page may take of a core. */
const limitPercent = 2;

/** Whatever view is shown, a page asks for moments and numbers. */
const always = [
  { path: "moments", everyMs: 2_000 },
  { path: "numbers", everyMs: 5_000 },
];
/** A view of a list of many keys asks every two seconds. */
const keysOfFull = { path: `keys?controller=${full}&state=ready&text=pod&offset=0&limit=200`, everyMs: 2_000 };

const variants = {
  "no page": { pages: 0, asked: [] },
  "1 page": { pages: 1, asked: always },
  "10 pages": { pages: 10, asked: always },
  "1 page of 100,000 keys": { pages: 1, asked: [...always, keysOfFull] },
} as const;

export const run: Run = async ({ log }) => {
  const percents = await cost(log);
  const of = (name: keyof typeof variants): number => Math.max(0.01, median(percents.get(name) ?? []));
  const none = of("no page");
  const [one, ten, keys] = (["1 page", "10 pages", "1 page of 100,000 keys"] as const).map((name) => of(name) - none);
  return {
    figures: {
      "the process without a page (% of a core)": none,
      "more with 1 page (% of a core)": one ?? 0,
      "more with 10 pages (% of a core)": ten ?? 0,
      "more with 1 page of 100,000 keys (% of a core)": keys ?? 0,
      ...(await findFigures()),
    },
    ratios: Object.fromEntries(
      Object.entries({ "1 page": one, "10 pages": ten, "1 page of 100,000 keys": keys }).map(([name, percent = 0]) => [
        `${name}, better than the limit of ${limitPercent} %`,
        limitPercent / Math.max(0.01, percent),
      ]),
    ),
  };
};

/** The processor time of this process in windows of some seconds, in which the variants take turns. */
async function cost(log: (message: string) => void): Promise<ReadonlyMap<string, readonly number[]>> {
  const percents = new Map<string, number[]>();
  await using watched = await startWatched();
  const viewers = fork(fileURLToPath(new URL("./page/viewers.js", import.meta.url)));
  // the first round warms the process up
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { pages, asked }] of Object.entries(variants)) {
      viewers.send({ url: watched.url, pages, asked } satisfies Viewing);
      await once(viewers, "message");
      globalThis.gc?.();
      const begin = process.cpuUsage();
      await sleep(windowMs);
      const { user, system } = process.cpuUsage(begin);
      if (round > 0) percents.set(name, [...(percents.get(name) ?? []), (user + system) / windowMs / 10]);
    }
    log(`round ${round} of ${rounds}: done`);
  }
  const ended = once(viewers, "exit");
  viewers.kill();
  await ended;
  return percents;
}
/** The time until keys are found, and the longest time for which the search holds the event loop. */
async function findFigures(): Promise<Readonly<Record<string, number>>> {
  const host = { journal: new Journal() };
  const loop = new KeyLoop({ name: "pods", kind: "Pod", workers: 1, host, sync: async () => {} });
  for (let i = 0; i < 100_000; i++) loop.add(`default/pod-${i}`, {}, i % 2 === 0 ? 1_000_000 + i : 0);
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
