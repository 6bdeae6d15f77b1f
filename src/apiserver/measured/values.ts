/** The metrics that programs and tests give the server: values of objects, and values from outside the cluster. */
import { type KubeObject, type Labels, newInternalError, parseQuantity, Quantity } from "../../api/index.js";
import { messageOf, shown } from "../../base/index.js";

/** A value: a number, a quantity, or one of both with the time at which it was measured. */
export type MetricReading =
  | number
  | string
  | {
      readonly value: number | string;
      /** Wall time in milliseconds; now by default. */
      readonly timestamp?: number;
      readonly windowSeconds?: number;
    };

/** A metric of objects of one resource, for `custom.metrics.k8s.io`. */
export interface CustomMetric {
  readonly name: string;
  /** The resource as the API's paths name it: `pods`, `deployments.apps`, `namespaces`. */
  readonly resource: string;
  /** The labels that a selector of metrics matches. */
  readonly labels?: Labels;
  /** The value of an object now; undefined if it has none. */
  valueOf(object: KubeObject, now: number): MetricReading | undefined;
}

/** A metric from outside the cluster, for `external.metrics.k8s.io`. */
export interface ExternalMetric {
  readonly name: string;
  /** The only namespace that sees it; all by default. */
  readonly namespace?: string;
  readonly labels?: Labels;
  /** The value now; undefined if there is none. */
  value(now: number): MetricReading | undefined;
}

/**
 * Give it to `startApiServer` and to `startCluster`; the groups `custom.metrics.k8s.io` and `external.metrics.k8s.io`
 * are then served.
 *
 * Invariant: each follower is called after every change of the set of metrics.
 */
export class MetricValues {
  readonly #custom = new Set<CustomMetric>();
  readonly #external = new Set<ExternalMetric>();
  readonly #followers = new Set<() => void>();

  get customMetrics(): Iterable<CustomMetric> {
    return this.#custom;
  }

  get externalMetrics(): Iterable<ExternalMetric> {
    return this.#external;
  }

  /** Calls the function after every change of the set of metrics, until it is disposed. */
  follow(changed: () => void): Disposable {
    const follower = (): void => changed();
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => void this.#followers.delete(follower) };
  }

  /** Serves a metric of objects, until it is disposed. */
  custom(metric: CustomMetric): Disposable {
    if (typeof metric.valueOf !== "function") throw new TypeError("a custom metric has a function valueOf");
    return this.#serve(this.#custom, metric);
  }

  /** Serves a metric from outside, until it is disposed. */
  external(metric: ExternalMetric): Disposable {
    if (typeof metric.value !== "function") throw new TypeError("an external metric has a function value");
    return this.#serve(this.#external, metric);
  }

  #serve<T extends { readonly name: string }>(metrics: Set<T>, metric: T): Disposable {
    if (typeof metric.name !== "string" || metric.name === "" || metric.name.includes("/"))
      throw new TypeError(`the name of a metric is a text without slashes, not ${shown(metric.name)}`);
    metrics.add(metric);
    const tell = (): void => {
      for (const changed of this.#followers) changed();
    };
    tell();
    return {
      [Symbol.dispose]: () => {
        if (metrics.delete(metric)) tell();
      },
    };
  }
}

/** A reading in the form of the API. Throws a 500 for a value that is not a number. */
export function readingOf(
  name: string,
  reading: MetricReading,
  now: number,
): { readonly value: string; readonly timestamp: number; readonly windowSeconds?: number } {
  const { value, timestamp = now, windowSeconds } = typeof reading === "object" ? reading : { value: reading };
  try {
    const rest = windowSeconds === undefined ? {} : { windowSeconds };
    return { value: quantityOf(value), timestamp, ...rest };
  } catch (error) {
    throw newInternalError(`the value of the metric ${name} cannot be read: ${messageOf(error)}`);
  }
}

/** The finest part of a value that the API tells is a thousandth. */
function quantityOf(value: number | string): string {
  if (typeof value === "string") return String(parseQuantity(value));
  if (!Number.isFinite(value)) throw new Error(`${value} is not a finite number`);
  return String(Quantity.of(BigInt(Math.round(value * 1_000)), { exponent: -3 }));
}
