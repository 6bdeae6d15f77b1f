/** Counters, gauges and histograms. Code holds a series and moves it; the exposition reads them. */

/** The declaration of a metric. */
export interface MetricOptions<Label extends string = string> {
  readonly name: string;
  readonly help: string;
  /** The names for which `with` must give values; none by default. */
  readonly labels?: readonly Label[];
}

export interface HistogramOptions<Label extends string = string> extends MetricOptions<Label> {
  /** Upper bounds, ascending, without +Inf. Default: 5 ms to 10 s in seconds, as in Prometheus. */
  readonly buckets?: readonly number[];
}

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * A family of series, one for each combination of label values. `with` finds or makes a series; keep it where speed
 * matters, because moving a series costs only an addition. A metric without labels has one series, and its methods are
 * the metric's own.
 */
abstract class Metric<Label extends string, Series> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly #series = new Map<string, { readonly values: readonly string[]; readonly series: Series }>();

  #only: Series | undefined;

  protected constructor(options: MetricOptions<Label>, reserved: readonly string[] = []) {
    this.name = options.name;
    this.help = options.help;
    this.labels = options.labels ?? [];
    if (!metricName.test(this.name)) throw new Error(`invalid metric name ${JSON.stringify(this.name)}`);
    for (const [i, label] of this.labels.entries()) {
      if (!labelName.test(label) || reserved.includes(label) || this.labels.indexOf(label) !== i) {
        throw new Error(`metric ${this.name}: invalid label name ${JSON.stringify(label)}`);
      }
    }
  }

  protected abstract create(): Series;

  /** The series with these label values; the same one each time. */
  with(labels: LabelValues<Label>): Series {
    return this.#at(this.#valuesOf(labels));
  }

  /** Forgets the series with these label values, when its subject is gone. Gives whether there was one. */
  remove(labels: LabelValues<Label>): boolean {
    return this.#series.delete(seriesKey(this.#valuesOf(labels)));
  }

  /** Every series with the values of its labels, in the order of creation. */
  *series(): IterableIterator<{ readonly values: readonly string[]; readonly series: Series }> {
    yield* this.#series.values();
  }

  /** The only series of a metric without labels. */
  protected get only(): Series {
    if (this.#only === undefined) {
      const labels = this.labels.join(", ");
      throw new Error(`metric ${this.name} has labels (${labels}): choose a series by with({ … }) first`);
    }
    return this.#only;
  }

  /** A metric without labels has its series from the start, so that it is shown before it is first used. */
  protected begin(): void {
    if (this.labels.length === 0) this.#only = this.#at([]);
  }

  #at(values: readonly string[]): Series {
    const key = seriesKey(values);
    const known = this.#series.get(key);
    if (known !== undefined) return known.series;
    const series = this.create();
    this.#series.set(key, { values, series });
    return series;
  }

  #valuesOf(labels: LabelValues<Label>): string[] {
    const given: Readonly<Record<string, string | undefined>> = labels;
    const values: string[] = [];
    for (const label of this.labels) {
      const value = given[label];
      if (value === undefined) throw new Error(`metric ${this.name}: no value for label ${label}`);
      values.push(value);
    }
    for (const label in given) {
      if (!this.labels.includes(label as Label)) throw new Error(`metric ${this.name} has no label ${label}`);
    }
    return values;
  }
}

/** Length prefixes keep ["a", "b,c"] and ["a,b", "c"] apart. */
function seriesKey(values: readonly string[]): string {
  if (values.length === 1) return values[0] as string;
  let key = "";
  for (const value of values) key += `${value.length}:${value}`;
  return key;
}

/** A number that only grows, until the process restarts. */
export class CounterSeries {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter cannot grow by ${by}`);
    this.#value += by;
  }
}

export class Counter<Label extends string = string> extends Metric<Label, CounterSeries> {
  readonly type = "counter";

  constructor(options: MetricOptions<Label>) {
    super(options);
    this.begin();
  }

  protected create(): CounterSeries {
    return new CounterSeries();
  }

  inc(by = 1): void {
    this.only.inc(by);
  }
}

/** A number that goes up and down. */
export class GaugeSeries {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    this.#value = value;
  }

  inc(by = 1): void {
    this.#value += by;
  }

  dec(by = 1): void {
    this.#value -= by;
  }
}

export class Gauge<Label extends string = string> extends Metric<Label, GaugeSeries> {
  readonly type = "gauge";

  constructor(options: MetricOptions<Label>) {
    super(options);
    this.begin();
  }

  protected create(): GaugeSeries {
    return new GaugeSeries();
  }

  set(value: number): void {
    this.only.set(value);
  }

  inc(by = 1): void {
    this.only.inc(by);
  }

  dec(by = 1): void {
    this.only.dec(by);
  }
}

/** Observed values, counted by the buckets they fall into. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /** One more than the bounds: the last counts values above all of them. Not cumulative. Made with the first value. */
  #counts: Float64Array | undefined;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#counts?.reduce((total, count) => total + count, 0) ?? 0;
  }

  /** The number of values up to each bound, and last the number of all. */
  cumulativeCounts(): number[] {
    let total = 0;
    return Array.from(this.#counts ?? new Float64Array(this.#bounds.length + 1), (count) => {
      total += count;
      return total;
    });
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    // bounds are few and small values common: a linear search beats bisection
    while (at < bounds.length && !(value <= (bounds[at] as number))) at += 1;
    this.#counts ??= new Float64Array(bounds.length + 1);
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
  }
}

const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram<Label extends string = string> extends Metric<Label, HistogramSeries> {
  readonly type = "histogram";
  readonly buckets: readonly number[];

  constructor(options: HistogramOptions<Label>) {
    super(options, ["le"]);
    this.buckets = options.buckets ?? defaultBuckets;
    for (const [i, bound] of this.buckets.entries()) {
      if (!Number.isFinite(bound) || (i > 0 && bound <= (this.buckets[i - 1] as number))) {
        throw new Error(`metric ${this.name}: buckets must be finite and ascending, not ${this.buckets.join(", ")}`);
      }
    }
    this.begin();
  }

  protected create(): HistogramSeries {
    return new HistogramSeries(this.buckets);
  }

  observe(value: number): void {
    this.only.observe(value);
  }
}

export type AnyMetric = Counter | Gauge | Histogram;
