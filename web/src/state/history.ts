/** The last minutes of what the page has seen, one sample a second: the whole state, and its rates for sparklines. */
import type { Watched } from "./store.js";

/** As long as servers remember revisions. */
const kept = 300;
const everyMs = 1_000;

export interface Sample {
  readonly at: number;
  readonly watched: Watched;
  /** Rates a second and levels, by name. */
  readonly values: ReadonlyMap<string, number>;
}

/**
 * Invariants:
 * 1. `#samples` is in the order of time and has at most `kept` members.
 * 2. `#counts` are the counters at the time of the last sample.
 */
export class History {
  #samples: Sample[] = [];
  #counts = new Map<string, number>();

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  clear(): void {
    this.#samples = [];
    this.#counts = new Map();
  }

  sample(at: number, watched: Watched): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < everyMs) return;
    const counts = countersOf(watched);
    const values = new Map<string, number>();
    const seconds = last === undefined ? 0 : (at - last.at) / 1_000;
    for (const [name, count] of counts) {
      const before = this.#counts.get(name);
      values.set(name, before === undefined || seconds === 0 ? 0 : Math.max(0, (count - before) / seconds));
    }
    for (const [name, level] of levelsOf(watched)) values.set(name, level);
    this.#counts = counts;
    this.#samples = [...this.#samples, { at, watched, values }].slice(-kept);
  }

  /** The state at a time; undefined if the page had not seen any then. */
  at(time: number): Sample | undefined {
    return this.#samples.findLast((sample) => sample.at <= time);
  }

  /** The values of the minute before a time. */
  series(name: string, now: number): readonly number[] {
    const end = this.#samples.findLastIndex((sample) => sample.at <= now) + 1;
    return this.#samples.slice(Math.max(0, end - minute), end).map(({ values }) => values.get(name) ?? 0);
  }

  /** The value at a time, 0 if nothing was sampled shortly before. */
  last(name: string, now: number): number {
    const sample = this.at(now);
    return sample === undefined || now - sample.at > 2_500 ? 0 : (sample.values.get(name) ?? 0);
  }
}

const minute = 60;

function countersOf({ lanes, controllers }: Watched): Map<string, number> {
  const counts = new Map<string, number>();
  let [events, runs] = [0, 0];
  for (const [id, lane] of lanes) {
    counts.set(`lane ${id}`, lane.events);
    if (lane.bytesRead !== undefined) counts.set(`bytes ${id}`, lane.bytesRead);
    events += lane.events;
  }
  for (const [name, line] of controllers) {
    counts.set(`runs ${name}`, line.runs);
    runs += line.runs;
  }
  return counts.set("events", events).set("runs", runs);
}

function levelsOf({ controllers, process }: Watched): [string, number][] {
  let waiting = 0;
  const levels: [string, number][] = [];
  for (const [name, { ready, active }] of controllers) {
    waiting += ready;
    levels.push([`ready ${name}`, ready], [`active ${name}`, active]);
  }
  levels.push(["ready", waiting]);
  if (process !== undefined)
    levels.push(
      ["lag", process.lagMs],
      ["rss", process.rssBytes],
      ["heap", process.heapBytes],
      ["cpu", process.cpuPercent],
    );
  return levels;
}
