/** Turns successive readings of metrics into lines of plots: rates of counters, means of histograms, and levels. */
import type { NumberSeries, NumbersAnswer, ProcessLine } from "../../../src/dashboard/wire.js";

export interface Plotted {
  readonly title: string;
  readonly about: string;
  readonly unit: "rate" | "millis" | "bytes" | "percent";
  /** The scale shows at least this much. */
  readonly atLeast: number;
  /** The values of one reading, by the name of their line. */
  read(now: Reading, before: Reading): ReadonlyMap<string, number>;
}

export interface Reading {
  readonly at: number;
  readonly numbers: NumbersAnswer["counters"];
  readonly process: ProcessLine | undefined;
}

const kept = 600;
const mostLines = 8;

type Label = (labels: readonly string[]) => string;

/** The sums of a metric's series by a name made from their labels. */
function sums(
  reading: Reading,
  metric: string,
  label: Label,
  pick: (series: NumberSeries) => number,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const series of reading.numbers[metric] ?? []) {
    const name = label(series.labels);
    if (name !== "") found.set(name, (found.get(name) ?? 0) + pick(series));
  }
  return found;
}

const value = (series: NumberSeries): number => series.value;

const rates =
  (metric: string, label: Label): Plotted["read"] =>
  (now, before) => {
    const seconds = Math.max(0.001, (now.at - before.at) / 1_000);
    const old = sums(before, metric, label, value);
    const grown = Array.from(
      sums(now, metric, label, value),
      ([name, count]) => [name, Math.max(0, count - (old.get(name) ?? 0)) / seconds] as const,
    );
    return new Map(grown);
  };

/** The mean of the observations between two readings, in milliseconds. */
const means =
  (metric: string, label: Label): Plotted["read"] =>
  (now, before) => {
    const [counts, oldCounts] = [sums(now, metric, label, value), sums(before, metric, label, value)];
    const sum = ({ sum: all = 0 }: NumberSeries): number => all;
    const [totals, oldTotals] = [sums(now, metric, label, sum), sums(before, metric, label, sum)];
    const read = Array.from(counts, ([name, count]) => {
      const more = count - (oldCounts.get(name) ?? 0);
      const took = (totals.get(name) ?? 0) - (oldTotals.get(name) ?? 0);
      return [name, more <= 0 ? 0 : (took / more) * 1_000] as const;
    });
    return new Map(read);
  };

const levels =
  (metric: string, label: Label): Plotted["read"] =>
  (now) =>
    sums(now, metric, label, value);

const first: Label = ([name = ""]) => name;
const kindOf: Label = ([name = ""]) => (name.split("?")[0] ?? "").split("/").at(-1) ?? "";
const isLong = (verb: string): boolean => verb === "WATCH" || verb === "CONNECT";

export const plots: readonly Plotted[] = [
  {
    title: "Requests",
    about: "a second, by verb",
    unit: "rate",
    atLeast: 5,
    read: rates("apiserver_request_total", first),
  },
  {
    title: "Requests by kind",
    about: "a second",
    unit: "rate",
    atLeast: 5,
    read: rates("apiserver_request_total", ([, , , resource = ""]) => resource),
  },
  {
    title: "Latency",
    about: "mean of requests, by verb",
    unit: "millis",
    atLeast: 2,
    read: means("apiserver_request_duration_seconds", ([verb = ""]) => (isLong(verb) ? "" : verb)),
  },
  {
    title: "Reconciles",
    about: "a second, by controller",
    unit: "rate",
    atLeast: 5,
    read: rates("coxswain_reconcile_total", first),
  },
  {
    title: "Reconcile time",
    about: "mean, by controller",
    unit: "millis",
    atLeast: 2,
    read: means("coxswain_reconcile_duration_seconds", first),
  },
  { title: "Waiting keys", about: "by queue", unit: "rate", atLeast: 5, read: levels("workqueue_depth", first) },
  {
    title: "Caches",
    about: "estimated memory, by kind",
    unit: "bytes",
    atLeast: 1e5,
    read: levels("informer_store_bytes", kindOf),
  },
  {
    title: "Memory",
    about: "of the process",
    unit: "bytes",
    atLeast: 5e7,
    read: ({ process: line }) =>
      new Map(
        line && [
          ["resident", line.rssBytes],
          ["heap", line.heapBytes],
        ],
      ),
  },
  {
    title: "Event loop",
    about: "longest delay in a second",
    unit: "millis",
    atLeast: 20,
    read: ({ process: line }) => new Map(line && [["delay", line.lagMs]]),
  },
  {
    title: "CPU",
    about: "of one core",
    unit: "percent",
    atLeast: 20,
    read: ({ process: line }) => new Map(line && [["used", line.cpuPercent]]),
  },
];

interface Sample {
  readonly at: number;
  readonly values: ReadonlyMap<string, number>;
}

/**
 * Invariant: each plot has at most `kept` samples, in the order of time; the sums of its lines are over these samples.
 */
export class Recorder {
  readonly #samples = new Map<string, Sample[]>();
  #last: Reading | undefined;

  take({ at, counters }: NumbersAnswer, process: ProcessLine | undefined): void {
    const now = { at, numbers: counters, process };
    const before = this.#last;
    this.#last = now;
    if (before === undefined) return;
    for (const plot of plots) {
      const known = this.#samples.get(plot.title) ?? [];
      this.#samples.set(plot.title, [...known, { at: at / 1_000, values: plot.read(now, before) }].slice(-kept));
    }
  }

  /** The lines with the most in them, in the order of their names, so that they keep their colours. */
  lines(plot: Plotted): { readonly names: readonly string[]; readonly data: readonly (readonly number[])[] } {
    const samples = this.#samples.get(plot.title) ?? [];
    const totals = new Map<string, number>();
    for (const { values } of samples)
      for (const [name, number] of values) totals.set(name, (totals.get(name) ?? 0) + number);
    const most = [...totals].filter(([, total]) => total > 0).sort((a, b) => b[1] - a[1]);
    const names = most
      .slice(0, mostLines)
      .map(([name]) => name)
      .sort();
    return {
      names,
      data: [samples.map(({ at }) => at), ...names.map((name) => samples.map(({ values }) => values.get(name) ?? 0))],
    };
  }
}
