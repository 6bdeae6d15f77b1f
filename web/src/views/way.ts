/** The way of an object: takes its remembered reconciles, gives the newest story in order, and the writer of each change with its time. Pure. */
import type { RunLine } from "../../../src/dashboard/wire.js";

const fewOfOne = 14;
const mostOfOne = 30;
/** Reconciles within this time belong to one story: a longer pause begins another one. */
const pauseMs = 1_000;

export const isAfterPause = (run: RunLine, before: RunLine | undefined): boolean =>
  before !== undefined && run.startedAt - before.startedAt > pauseMs;

/** The reconciles since the last pause, in the order of their starts, and some before it if they are few. */
export function wayOf(runs: readonly RunLine[]): readonly RunLine[] {
  const newest = runs.toSorted((a, b) => a.startedAt - b.startedAt).slice(-mostOfOne);
  const beginning = newest.findLastIndex((run, i) => isAfterPause(run, newest[i - 1]));
  return newest.slice(Math.min(Math.max(0, beginning), Math.max(0, newest.length - fewOfOne)));
}

export interface Heard {
  /** The run that wrote the change. */
  readonly writer: string;
  /** From the server's answer to that run until the key was queued here: the watch, the cache and the listener. */
  readonly ms: number;
}

interface Write {
  readonly writer: string;
  readonly at: number;
}

export function writersOf(runs: readonly RunLine[]): ReadonlyMap<string, Write> {
  const writers = new Map<string, Write>();
  for (const { controller, run, wrote } of runs)
    for (const { change, at } of wrote) writers.set(change, { writer: `${controller} #${run}`, at });
  return writers;
}

/** Undefined for a run that no change woke; "elsewhere" if no remembered run wrote the change. */
export function heardFrom(
  { wokenBy, startedAt, waitedMs }: RunLine,
  writers: ReadonlyMap<string, Write>,
): Heard | "elsewhere" | undefined {
  for (const change of wokenBy) {
    const write = writers.get(change);
    if (write !== undefined) return { writer: write.writer, ms: Math.max(0, startedAt - waitedMs - write.at) };
  }
  return wokenBy.length === 0 ? undefined : "elsewhere";
}
