/** The metrics of a named queue, under the names of client-go's workqueue. */
import type { GaugeSeries, MetricsRegistry } from "../base/index.js";

export interface QueueMeter {
  added(priority: number): void;
  raised(from: number, to: number): void;
  taken(priority: number, waitedMs: number): void;
  finished(heldMs: number): void;
  retried(): void;
  /** Ends the reports; counters keep their values. */
  end(): void;
}

export interface QueueMeterOptions {
  readonly name: string;
  /** Whether depth is reported by priority. */
  readonly prioritised: boolean;
  /** Gives the milliseconds for which each held key has been held; called at each exposition. */
  readonly running: () => Iterable<number>;
}

/** Users choose the priorities; beyond this number of different ones, the rest share one series. */
const priorityLabelLimit = 16;

/** In seconds, from 10 ns to 10 s. */
const durationBuckets: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];

export function queueMeter(registry: MetricsRegistry, { name, prioritised, running }: QueueMeterOptions): QueueMeter {
  const labels = ["name"] as const;
  const counter = (metric: string, help: string) => registry.counter({ name: metric, help, labels }).with({ name });
  const gauge = (metric: string, help: string) => registry.gauge({ name: metric, help, labels }).with({ name });
  const histogram = (metric: string, help: string) =>
    registry.histogram({ name: metric, help, labels, buckets: durationBuckets }).with({ name });

  const adds = counter("workqueue_adds_total", "Keys added to the queue, without those that already waited");
  const retries = counter("workqueue_retries_total", "Keys added with a delay");
  const queued = histogram("workqueue_queue_duration_seconds", "How long a key waits in the queue before it is taken");
  const worked = histogram("workqueue_work_duration_seconds", "How long the work on a key takes");
  const unfinished = gauge(
    "workqueue_unfinished_work_seconds",
    "Seconds of work in progress that work_duration does not show yet; a steady growth tells of stuck workers",
  );
  const longest = gauge(
    "workqueue_longest_running_processor_seconds",
    "For how many seconds the key that is held longest has been held",
  );
  const depths = depthSeries(registry, name, prioritised);

  const collecting = registry.beforeExpose(() => {
    let totalMs = 0;
    let longestMs = 0;
    for (const ms of running()) {
      totalMs += ms;
      longestMs = Math.max(longestMs, ms);
    }
    unfinished.set(totalMs / 1000);
    longest.set(longestMs / 1000);
  });

  return {
    added(priority) {
      adds.inc();
      depths(priority).inc();
    },
    raised(from, to) {
      depths(from).dec();
      depths(to).inc();
    },
    taken(priority, waitedMs) {
      depths(priority).dec();
      queued.observe(waitedMs / 1000);
    },
    finished: (heldMs) => worked.observe(heldMs / 1000),
    retried: () => retries.inc(),
    end: () => collecting[Symbol.dispose](),
  };
}

function depthSeries(registry: MetricsRegistry, name: string, prioritised: boolean): (priority: number) => GaugeSeries {
  const depth = registry.gauge({
    name: "workqueue_depth",
    help: "Keys that wait, those that are held and were added again included",
    labels: ["name", "priority"],
  });
  if (!prioritised) {
    const series = depth.with({ name, priority: "" });
    return () => series;
  }
  const byPriority = new Map<number, GaugeSeries>();
  return (priority) => {
    const known = byPriority.get(priority);
    if (known !== undefined) return known;
    const label = byPriority.size < priorityLabelLimit ? String(priority) : "other";
    const series = depth.with({ name, priority: label });
    byPriority.set(priority, series);
    return series;
  };
}
