/** A failure as a file for tools: the whole record in the Trace Event Format (chrome://tracing, Perfetto). Pure. */
import { describeFault } from "./plan.js";
import { describeEntry, type Entry } from "./record.js";
import type { StoryParts } from "./story.js";

/** One event: `i` happens at a moment, `X` lasts, `M` names a row. Times are virtual microseconds since the scenario began. */
export interface TraceEvent {
  readonly ph: "i" | "X" | "M";
  readonly name: string;
  readonly cat?: string;
  readonly ts: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid: number;
  /** `g`: the mark of an instant goes over all rows; `t`: over its own. */
  readonly s?: "g" | "t";
  /** The entry of the record as it is. */
  readonly args: object;
}

/** The object form of the format, whose further members tools keep and show as metadata. */
export interface StoryTrace {
  readonly displayTimeUnit: "ms";
  readonly otherData: {
    readonly seed: string;
    readonly oracle: string;
    readonly messages: readonly string[];
    readonly faults: readonly string[];
  };
  readonly traceEvents: readonly TraceEvent[];
}

const pid = 1;

/** Faults, the scenario and others each have a row, and so has every replica of the operator. */
export function traceOf({ history, oracle, messages }: StoryParts): StoryTrace {
  const rows = new Map<string, number>();
  const rowOf = (name: string): number => {
    if (!rows.has(name)) rows.set(name, rows.size + 1);
    return rows.get(name) as number;
  };
  const happened = history.entries.map((entry) => eventOf(entry, rowOf(nameOf(entry))));
  const names = Array.from(rows, ([name, tid]): TraceEvent => {
    return { ph: "M", name: "thread_name", ts: 0, pid, tid, args: { name } };
  });
  const { seed, faults } = history.plan;
  return {
    displayTimeUnit: "ms",
    otherData: { seed, oracle, messages, faults: faults.map(describeFault) },
    traceEvents: [...names, ...happened],
  };
}

const nameOf = (entry: Entry): string =>
  entry.type === "fault" ? "faults" : entry.type === "life" ? "lives" : entry.actor;

function eventOf(entry: Entry, tid: number): TraceEvent {
  const ts = Math.round(entry.atMs * 1000);
  // the time and the actor stand beside it
  const name = describeEntry(entry).split("\n")[0]?.slice("         s  ".length).trim() ?? entry.type;
  const common = { name, cat: entry.type, pid, tid, args: entry };
  if (entry.type !== "reconcile") return { ph: "i", ts, s: entry.type === "fault" ? "g" : "t", ...common };
  const dur = Math.round(entry.run.durationMs * 1000);
  return { ph: "X", ts: ts - dur, dur, ...common };
}
