/** The metrics of informers, declared in the registry of the process, with one series per informer name. */
import type { CounterSeries, GaugeSeries, HistogramSeries, MetricsRegistry } from "../base/index.js";

type Count = Pick<CounterSeries, "inc">;
type Level = Pick<GaugeSeries, "set">;
type Distribution = Pick<HistogramSeries, "observe">;

export interface ReflectorMetrics {
  readonly lists: Count;
  readonly listDuration: Distribution;
  readonly itemsPerList: Distribution;
  readonly watches: Count;
  readonly watchDuration: Distribution;
  readonly itemsPerWatch: Distribution;
  readonly shortWatches: Count;
  readonly errors: Count;
  /** Objects that could not be decoded, keyed or transformed. */
  readonly skipped: Count;
}

export interface ListenerMetrics {
  readonly pending: Level;
  readonly duration: Distribution;
  readonly failures: Count;
}

export interface InformerMetrics {
  readonly reflector: ReflectorMetrics;
  readonly queued: Level;
  readonly processing: Distribution;
  /** Events older than the cache's state: duplicates and latecomers. */
  readonly stale: Count;
  readonly storeObjects: Level;
  readonly storeResourceVersion: Level;
  /** Updates the estimate of the store's memory at each exposition, until disposed. */
  measureBytes(estimate: () => number): Disposable;
  listener(handler: string): ListenerMetrics;
}

const nothing = { inc: () => {}, set: () => {}, observe: () => {} };

const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const longSeconds = [0.1, 1, 5, 10, 30, 60, 120, 300, 450, 600];
const counts = [1, 10, 100, 1000, 10_000, 100_000];

/** `name` tells the informers of one process apart; the kind's name by default. Without a registry nothing is counted. */
export function informerMetrics(registry: MetricsRegistry | undefined, name: string): InformerMetrics {
  const counter = (metric: string, help: string): Count =>
    registry?.counter({ name: metric, help, labels: ["name"] }).with({ name }) ?? nothing;
  const gauge = (metric: string, help: string): Level =>
    registry?.gauge({ name: metric, help, labels: ["name"] }).with({ name }) ?? nothing;
  const histogram = (metric: string, help: string, buckets: readonly number[]): Distribution =>
    registry?.histogram({ name: metric, help, buckets, labels: ["name"] }).with({ name }) ?? nothing;
  return {
    reflector: {
      lists: counter("reflector_lists_total", "Lists done, streamed ones included"),
      listDuration: histogram("reflector_list_duration_seconds", "How long a list took", seconds),
      itemsPerList: histogram("reflector_items_per_list", "How many objects a list brought", counts),
      watches: counter("reflector_watches_total", "Watches opened"),
      watchDuration: histogram("reflector_watch_duration_seconds", "How long a watch lasted", longSeconds),
      itemsPerWatch: histogram("reflector_items_per_watch", "How many events a watch brought", counts),
      shortWatches: counter("reflector_short_watches_total", "Watches that ended at once without any event"),
      errors: counter("reflector_errors_total", "Failed lists and watches"),
      skipped: counter("reflector_skipped_objects_total", "Objects that could not be decoded, keyed or transformed"),
    },
    queued: gauge("informer_queued_items", "Deltas waiting in the queue"),
    processing: histogram("informer_processing_latency_seconds", "How long a batch of deltas took", seconds),
    stale: counter("informer_stale_events_total", "Events dropped because the cache has a newer state"),
    storeObjects: gauge("informer_store_objects", "Objects in the cache"),
    storeResourceVersion: gauge("informer_store_resource_version", "Last 15 digits of the cache's revision"),
    measureBytes(estimate) {
      const bytes = gauge("informer_store_bytes", "Memory that the cached objects take, estimated");
      return registry?.beforeExpose(() => bytes.set(estimate())) ?? { [Symbol.dispose]: () => {} };
    },
    listener(handler) {
      const labels = ["name", "handler"] as const;
      const of = (metric: string, help: string) => ({ name: `informer_handler_${metric}`, help, labels });
      const pending = of("pending", "Changes waiting for a handler");
      const duration = { ...of("duration_seconds", "How long a call of a handler took"), buckets: seconds };
      const failures = of("failures_total", "Calls of a handler that threw");
      return {
        pending: registry?.gauge(pending).with({ name, handler }) ?? nothing,
        duration: registry?.histogram(duration).with({ name, handler }) ?? nothing,
        failures: registry?.counter(failures).with({ name, handler }) ?? nothing,
      };
    },
  };
}

/** The last digits of a revision, as a number that a double holds exactly. */
export function revisionGauge(resourceVersion: string): number {
  const digits = Number(resourceVersion.slice(-15));
  return Number.isFinite(digits) ? digits : 0;
}
