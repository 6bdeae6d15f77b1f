/** The metrics of one process: layers declare theirs here, an HTTP endpoint exposes them. */
import { exposeMetrics, type ExpositionFormat, type ShownMetric } from "./exposition.js";
import { type AnyMetric, Counter, Gauge, Histogram, type HistogramOptions, type MetricOptions } from "./metric.js";

export interface ExposeOptions {
  /** "prometheus" (text format 0.0.4) by default; "openmetrics" is 1.0.0. */
  readonly format?: ExpositionFormat;
}

/**
 * Declaring the same metric again gives the existing one, so that many queues or clients can share it; declaring a
 * different metric under a taken name is an error.
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, AnyMetric>();
  readonly #collectors = new Set<() => void>();
  /** Other registries that are shown with this one, and the labels that their series get. */
  readonly #included = new Map<MetricsRegistry, Readonly<Record<string, string>>>();

  counter<const Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
    return this.#declare("counter", options, () => new Counter(options));
  }

  gauge<const Label extends string = never>(options: MetricOptions<Label>): Gauge<Label> {
    return this.#declare("gauge", options, () => new Gauge(options));
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label> {
    const metric = this.#declare("histogram", options, () => new Histogram(options));
    if (options.buckets !== undefined && !sameList(options.buckets, metric.buckets)) {
      throw new Error(`metric ${options.name} is already declared with other buckets: ${metric.buckets.join(", ")}`);
    }
    return metric;
  }

  /** Calls back before each exposition, to set values that must be computed then (an age, a size). Disposing ends that. */
  beforeExpose(collect: () => void): Disposable {
    const collector = (): void => collect();
    this.#collectors.add(collector);
    return { [Symbol.dispose]: () => void this.#collectors.delete(collector) };
  }

  /** Exposes another registry with this one, its series with these labels in addition. Disposing ends that. */
  include(other: MetricsRegistry, labels: Readonly<Record<string, string>>): Disposable {
    this.#included.set(other, labels);
    return { [Symbol.dispose]: () => void this.#included.delete(other) };
  }

  /** Every declared metric, after the values that are computed for an exposition have been. */
  metrics(): Iterable<AnyMetric> {
    for (const collect of this.#collectors) collect();
    return this.#metrics.values();
  }

  /** All metrics as text, sorted by name. */
  expose(options: ExposeOptions = {}): string {
    const shown = [...this.#shown()].sort((a, b) => (a.metric.name < b.metric.name ? -1 : 1));
    return exposeMetrics(shown, options.format ?? "prometheus");
  }

  *#shown(): Iterable<ShownMetric> {
    for (const metric of this.metrics()) yield { metric, labels: {} };
    for (const [registry, labels] of this.#included) for (const metric of registry.metrics()) yield { metric, labels };
  }

  #declare<M extends AnyMetric>(type: M["type"], options: MetricOptions, create: () => M): M {
    const known = this.#metrics.get(options.name);
    if (known === undefined) {
      const metric = create();
      this.#metrics.set(metric.name, metric);
      return metric;
    }
    if (known.type !== type) {
      throw new Error(`metric ${options.name} is already declared as a ${known.type}, not a ${type}`);
    }
    if (!sameList(known.labels, options.labels ?? [])) {
      throw new Error(
        `metric ${options.name} is already declared with other labels: ${known.labels.join(", ") || "none"}`,
      );
    }
    return known as M;
  }
}

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
