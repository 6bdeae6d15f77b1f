/** Counts requests by priority level and flow schema, under kube-apiserver's metric names. */
import { getOrMake } from "../../base/containers/recent.js";
import type { Counter, Gauge, Histogram, MetricsRegistry } from "../../base/index.js";
import type { Flow, Level, Levels } from "./levels.js";
import { widthOf, type Work } from "./work.js";

const lengths = [0, 10, 25, 50, 100, 250, 500, 1000];
const seconds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

type Both = "priority_level" | "flow_schema";

/** The series of one flow schema in one level. */
interface Series {
  readonly dispatched: { inc(): void };
  readonly waitingRequests: { inc(by?: number): void };
  readonly waitingSeats: { inc(by?: number): void };
  readonly requests: { inc(by?: number): void };
  readonly seats: { inc(by?: number): void };
  readonly waited: { observe(value: number): void };
  readonly executed: { observe(value: number): void };
  readonly estimated: { observe(value: number): void };
}

interface Figure {
  readonly gauge: Gauge<"priority_level">;
  read(level: Level): number;
}

export class FlowMetrics {
  readonly #rejected: Counter<Both | "reason">;
  readonly #dispatched: Counter<Both>;
  readonly #waitingRequests: Gauge<Both>;
  readonly #waitingSeats: Gauge<Both>;
  readonly #requests: Gauge<Both>;
  readonly #seats: Gauge<Both>;
  readonly #waited: Histogram<Both | "execute">;
  readonly #executed: Histogram<Both | "type">;
  readonly #estimated: Histogram<Both>;
  readonly #lengths: Histogram<Both>;
  readonly #figures: readonly Figure[];
  readonly #fairShare: Gauge;
  readonly #known = new Map<string, Series>();

  constructor(metrics: MetricsRegistry) {
    const name = (text: string): string => `apiserver_flowcontrol_${text}`;
    const labels = ["priority_level", "flow_schema"] as const;
    const gauge = (text: string, help: string): Gauge<Both> => metrics.gauge({ name: name(text), help, labels });
    const ofLevel = (text: string, help: string, read: (level: Level) => number): Figure => ({
      gauge: metrics.gauge({ name: name(text), help, labels: ["priority_level"] }),
      read,
    });
    this.#rejected = metrics.counter({
      name: name("rejected_requests_total"),
      help: "Requests rejected, by reason.",
      labels: [...labels, "reason"],
    });
    this.#dispatched = metrics.counter({ name: name("dispatched_requests_total"), help: "Requests begun.", labels });
    this.#waitingRequests = gauge("current_inqueue_requests", "Requests that wait in queues.");
    this.#waitingSeats = gauge("current_inqueue_seats", "Seats for which requests wait.");
    this.#requests = gauge("current_executing_requests", "Requests that are being answered.");
    this.#seats = gauge("current_executing_seats", "Seats in use.");
    this.#waited = metrics.histogram({
      name: name("request_wait_duration_seconds"),
      help: "Time in a queue.",
      labels: [...labels, "execute"],
      buckets: seconds,
    });
    this.#executed = metrics.histogram({
      name: name("request_execution_seconds"),
      help: "Time from a request's beginning to its end; for a watch, to the end of its initial state.",
      labels: [...labels, "type"],
      buckets: seconds,
    });
    this.#estimated = metrics.histogram({
      name: name("work_estimated_seats"),
      help: "Seats of a request.",
      labels,
      buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    });
    this.#lengths = metrics.histogram({
      name: name("request_queue_length_after_enqueue"),
      help: "Length of a queue after an arrival.",
      labels,
      buckets: lengths,
    });
    this.#figures = [
      ofLevel("nominal_limit_seats", "Seats by configuration.", ({ nominal }) => nominal),
      ofLevel("lower_limit_seats", "Seats that are not lent.", ({ least }) => least),
      ofLevel("upper_limit_seats", "Seats with all that may be borrowed.", ({ most }) => most),
      ofLevel("current_limit_seats", "Seats now.", ({ queues }) => queues.limit),
      ofLevel("target_seats", "Seats at which the latest division aimed.", ({ target }) => target),
      ofLevel("demand_seats_high_watermark", "Peak demand of the period.", ({ demand }) => demand.figures.peak),
      ofLevel("demand_seats_average", "Average demand of the period.", ({ demand }) => demand.figures.average),
      ofLevel("demand_seats_stdev", "Deviation of the demand.", ({ demand }) => demand.figures.deviation),
      ofLevel("demand_seats_smoothed", "Smoothed demand.", ({ demand }) => demand.figures.smoothed),
    ];
    this.#fairShare = metrics.gauge({
      name: name("seat_fair_frac"),
      help: "Share of each level's demand that is met.",
    });
  }

  /** The limits have changed. */
  limits(levels: Levels): void {
    for (const { gauge, read } of this.#figures) {
      const gone = new Set([...gauge.series()].map(({ values }) => values[0] as string));
      for (const level of levels) {
        gauge.with({ priority_level: level.name }).set(read(level));
        gone.delete(level.name);
      }
      for (const name of gone) gauge.remove({ priority_level: name });
    }
    this.#fairShare.set(levels.fairShare);
  }

  rejected(flow: Flow, reason: string, waitedMs: number): void {
    this.#rejected.with({ ...labelsOf(flow), reason }).inc();
    this.#waited.with({ ...labelsOf(flow), execute: "false" }).observe(waitedMs / 1000);
  }

  /** `length` is that of the request's queue; undefined without queues. */
  arrived(flow: Flow, work: Work, length: number | undefined): void {
    this.#of(flow).estimated.observe(widthOf(work));
    if (length !== undefined) this.#lengths.with(labelsOf(flow)).observe(length);
  }

  /** `sign` is -1 when the request waits no more. */
  waiting(flow: Flow, work: Work, sign: 1 | -1): void {
    const series = this.#of(flow);
    series.waitingRequests.inc(sign);
    series.waitingSeats.inc(sign * widthOf(work));
  }

  begun(flow: Flow, work: Work, waitedMs: number | undefined): void {
    const series = this.#of(flow);
    series.dispatched.inc();
    series.requests.inc();
    series.seats.inc(widthOf(work));
    if (waitedMs !== undefined) series.waited.observe(waitedMs / 1000);
  }

  /** Lingering seats count as free here; `type` tells watches apart. */
  ended(flow: Flow, work: Work, { ms, isWatch }: { readonly ms: number; readonly isWatch: boolean }): void {
    const series = this.#of(flow);
    series.requests.inc(-1);
    series.seats.inc(-widthOf(work));
    if (isWatch) this.#executed.with({ ...labelsOf(flow), type: "watch" }).observe(ms / 1000);
    else series.executed.observe(ms / 1000);
  }

  #of(flow: Flow): Series {
    const id = `${flow.level.name} ${flow.schema}`;
    return getOrMake(this.#known, id, () => this.#make(labelsOf(flow)));
  }

  #make(labels: Readonly<Record<Both, string>>): Series {
    return {
      dispatched: this.#dispatched.with(labels),
      waitingRequests: this.#waitingRequests.with(labels),
      waitingSeats: this.#waitingSeats.with(labels),
      requests: this.#requests.with(labels),
      seats: this.#seats.with(labels),
      waited: this.#waited.with({ ...labels, execute: "true" }),
      executed: this.#executed.with({ ...labels, type: "regular" }),
      estimated: this.#estimated.with(labels),
    };
  }
}

const labelsOf = ({ schema, level }: Flow): Readonly<Record<Both, string>> => ({
  priority_level: level.name,
  flow_schema: schema,
});
