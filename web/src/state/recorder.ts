/** Turns successive readings of metrics into lines of plots: rates of counters, means of histograms, and levels. */
import type { NumberSeries, NumbersAnswer, ProcessLine } from "../../../src/dashboard/wire.js";

export interface Plotted {
  readonly title: string;
  readonly about: string;
  /** The metric that it reads: a process without it has no such plot. Absent if it reads the process's line. */
  readonly metric?: string;
  readonly unit: "rate" | "millis" | "bytes" | "bytesRate" | "percent" | "count";
  /** The scale shows at least this much. */
  readonly atLeast: number;
  /** The value of a line that a reading does not have: a mean of nothing is no number. */
  readonly absent: 0 | null;
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

type Read = Pick<Plotted, "metric" | "absent" | "read">;

const rates = (metric: string, label: Label): Read => ({
  metric,
  absent: 0,
  read(now, before) {
    const seconds = Math.max(0.001, (now.at - before.at) / 1_000);
    const old = sums(before, metric, label, value);
    const grown = Array.from(
      sums(now, metric, label, value),
      ([name, count]) => [name, Math.max(0, count - (old.get(name) ?? 0)) / seconds] as const,
    );
    return new Map(grown);
  },
});

/** The mean of the observations between two readings, in milliseconds. */
const means = (metric: string, label: Label): Read => ({
  metric,
  absent: null,
  read(now, before) {
    const [counts, oldCounts] = [sums(now, metric, label, value), sums(before, metric, label, value)];
    const sum = ({ sum: all = 0 }: NumberSeries): number => all;
    const [totals, oldTotals] = [sums(now, metric, label, sum), sums(before, metric, label, sum)];
    const read = new Map<string, number>();
    for (const [name, count] of counts) {
      const more = count - (oldCounts.get(name) ?? 0);
      const took = (totals.get(name) ?? 0) - (oldTotals.get(name) ?? 0);
      if (more > 0) read.set(name, (took / more) * 1_000);
    }
    return read;
  },
});

const levels = (metric: string, label: Label): Read => ({
  metric,
  absent: 0,
  read: (now) => sums(now, metric, label, value),
});

const ofProcess = (pick: (line: ProcessLine) => readonly (readonly [string, number])[]): Read => ({
  absent: 0,
  read: ({ process: line }) => new Map(line && pick(line)),
});

const first: Label = ([name = ""]) => name;
const second: Label = ([, name = ""]) => name;
const kindOf: Label = ([name = ""]) => (name.split("?")[0] ?? "").split("/").at(-1) ?? "";
const isLong = (verb: string): boolean => verb === "WATCH" || verb === "CONNECT";
const isRefusal = (code: string): boolean => code >= "400";

/** Requests that this process answers come first, then requests that it sends, its controllers, its caches, and itself. */
export const plots: readonly Plotted[] = [
  {
    title: "Requests",
    about: "answered in a second, by verb",
    unit: "rate",
    atLeast: 5,
    ...rates("apiserver_request_total", first),
  },
  {
    title: "Requests by kind",
    about: "answered in a second",
    unit: "rate",
    atLeast: 5,
    ...rates("apiserver_request_total", ([, , , resource = ""]) => resource),
  },
  {
    title: "Refusals",
    about: "a second, by code and kind",
    unit: "rate",
    atLeast: 1,
    ...rates("apiserver_request_total", ([, , , resource = "", , code = ""]) =>
      isRefusal(code) ? `${code} ${resource}` : "",
    ),
  },
  {
    title: "Latency",
    about: "mean of answered requests, by verb",
    unit: "millis",
    atLeast: 2,
    ...means("apiserver_request_duration_seconds", ([verb = ""]) => (isLong(verb) ? "" : verb)),
  },
  {
    title: "Watches",
    about: "open at the server, by kind",
    unit: "count",
    atLeast: 5,
    ...levels("apiserver_longrunning_requests", ([, , , resource = ""]) => resource),
  },
  {
    title: "Watch traffic",
    about: "bytes a second to all watches, by kind",
    unit: "bytesRate",
    atLeast: 1_000,
    ...rates("coxswain_apiserver_watch_bytes_total", ([, , resource = ""]) => resource),
  },
  {
    title: "Admission",
    about: "mean of webhooks, refusals apart",
    unit: "millis",
    atLeast: 5,
    ...means("apiserver_admission_webhook_admission_duration_seconds", ([name = "", , , rejected = ""]) =>
      rejected === "true" ? `${name} refuses` : name,
    ),
  },
  {
    title: "Webhooks",
    about: "reviews that this process answers in a second",
    unit: "rate",
    atLeast: 1,
    ...rates("controller_runtime_webhook_requests_total", (labels) => labels.join(" ")),
  },
  {
    title: "Requests sent",
    about: "a second, by method and code",
    unit: "rate",
    atLeast: 5,
    ...rates("rest_client_requests_total", ([code = "", method = ""]) => `${method} ${code}`),
  },
  {
    title: "Latency of requests sent",
    about: "mean, by verb",
    unit: "millis",
    atLeast: 2,
    ...means("rest_client_request_duration_seconds", ([verb = ""]) => (isLong(verb) ? "" : verb)),
  },
  {
    title: "Leadership",
    about: "1 while this process leads",
    unit: "count",
    atLeast: 1,
    ...levels("leader_election_master_status", first),
  },
  {
    title: "Reconciles",
    about: "a second, by controller",
    unit: "rate",
    atLeast: 5,
    ...rates("controller_runtime_reconcile_total", first),
  },
  {
    title: "Failures",
    about: "of reconciles in a second, by controller",
    unit: "rate",
    atLeast: 1,
    ...rates("controller_runtime_reconcile_errors_total", first),
  },
  {
    title: "Reconcile time",
    about: "mean, by controller",
    unit: "millis",
    atLeast: 2,
    ...means("controller_runtime_reconcile_time_seconds", first),
  },
  {
    title: "Time in the queue",
    about: "mean, by queue",
    unit: "millis",
    atLeast: 2,
    ...means("workqueue_queue_duration_seconds", first),
  },
  { title: "Waiting keys", about: "by queue", unit: "count", atLeast: 5, ...levels("workqueue_depth", first) },
  {
    title: "Changes that wait for a handler",
    about: "by handler",
    unit: "count",
    atLeast: 5,
    ...levels("informer_handler_pending", second),
  },
  {
    title: "Caches",
    about: "estimated memory, by kind",
    unit: "bytes",
    atLeast: 1e5,
    ...levels("informer_store_bytes", kindOf),
  },
  {
    title: "Cached objects",
    about: "by kind",
    unit: "count",
    atLeast: 10,
    ...levels("informer_store_objects", kindOf),
  },
  {
    title: "Memory",
    about: "of the process",
    unit: "bytes",
    atLeast: 5e7,
    ...ofProcess(({ rssBytes, heapBytes }) => [
      ["resident", rssBytes],
      ["heap", heapBytes],
    ]),
  },
  {
    title: "Event loop",
    about: "longest delay in a second",
    unit: "millis",
    atLeast: 20,
    ...ofProcess(({ lagMs }) => [["delay", lagMs]]),
  },
  {
    title: "CPU",
    about: "of one core",
    unit: "percent",
    atLeast: 20,
    ...ofProcess(({ cpuPercent }) => [["used", cpuPercent]]),
  },
];

type Values = readonly (number | null)[];

export interface Lines {
  readonly names: readonly string[];
  /** Lines that were left out because there are too many. */
  readonly more: number;
  /** The times in seconds, then the values of each line. */
  readonly data: readonly Values[];
}

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
    // pages that ask within a second share one answer
    if (before !== undefined && at === before.at) return;
    this.#last = now;
    if (before === undefined) return;
    for (const plot of plots) {
      const known = this.#samples.get(plot.title) ?? [];
      this.#samples.set(plot.title, [...known, { at: at / 1_000, values: plot.read(now, before) }].slice(-kept));
    }
  }

  /** The time of the oldest sample, in milliseconds; undefined if there is none. */
  get since(): number | undefined {
    const [oldest] = this.#samples.get("Memory") ?? [];
    return oldest && oldest.at * 1_000;
  }

  /** The plots that this process has metrics for. */
  get plots(): readonly Plotted[] {
    return plots.filter(({ metric }) => metric === undefined || (this.#last?.numbers[metric] ?? []).length > 0);
  }

  /** The lines with the most in them, in the order of their names, so that they keep their colours. */
  lines(plot: Plotted): Lines {
    const samples = this.#samples.get(plot.title) ?? [];
    const totals = new Map<string, number>();
    for (const { values } of samples)
      for (const [name, number] of values) totals.set(name, (totals.get(name) ?? 0) + number);
    const most = [...totals].filter(([, total]) => total > 0).sort((a, b) => b[1] - a[1]);
    const names = most
      .slice(0, mostLines)
      .map(([name]) => name)
      .sort();
    const valuesOf = (name: string): Values => samples.map(({ values }) => values.get(name) ?? plot.absent);
    return { names, more: most.length - names.length, data: [samples.map(({ at }) => at), ...names.map(valuesOf)] };
  }
}
