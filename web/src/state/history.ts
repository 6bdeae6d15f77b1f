/** The last minutes of the counts that the page has seen, one sample a second, for sparklines and rates. */
import type { Watched } from "./store.js";

const kept = 120;
const everyMs = 1_000;

export interface Moment {
  readonly at: number;
  /** Rates a second and levels, by name. */
  readonly values: ReadonlyMap<string, number>;
}

/**
 * Invariants:
 * 1. `#moments` is in the order of time and has at most `kept` members.
 * 2. `#counts` are the counters at the time of the last moment.
 */
export class History {
  #moments: Moment[] = [];
  #counts = new Map<string, number>();

  get moments(): readonly Moment[] {
    return this.#moments;
  }

  clear(): void {
    this.#moments = [];
    this.#counts = new Map();
  }

  sample(at: number, watched: Watched): void {
    const last = this.#moments.at(-1);
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
    this.#moments = [...this.#moments, { at, values }].slice(-kept);
  }

  series(name: string, length = 60): readonly number[] {
    return this.#moments.slice(-length).map(({ values }) => values.get(name) ?? 0);
  }

  /** The newest value, 0 if nothing was sampled lately. */
  last(name: string, now: number): number {
    const moment = this.#moments.at(-1);
    return moment === undefined || now - moment.at > 2_500 ? 0 : (moment.values.get(name) ?? 0);
  }
}

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
