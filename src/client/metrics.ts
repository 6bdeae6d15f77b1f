/** Counts the requests of a client, under the names of client-go. */
import type { CounterSeries, MetricsRegistry } from "../base/index.js";
import type { Client } from "./client.js";

/** In seconds. */
const durationBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Counts from now on, until it is disposed; the numbers stay. A watch counts as a request that ends with its headers. */
export function meterRequests(client: Pick<Client, "host" | "watchAttempts">, metrics: MetricsRegistry): Disposable {
  const { host } = client;
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Requests to the API server by status code and method, with each attempt counted",
    labels: ["code", "method", "host"],
  });
  const durations = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "How long an attempt of a request takes, from sending to the last byte",
    labels: ["verb", "host"],
    buckets: durationBuckets,
  });
  const series = new Map<string, CounterSeries>();
  return client.watchAttempts(({ method, code, durationMs }) => {
    const id = `${code} ${method}`;
    let counted = series.get(id);
    if (counted === undefined) {
      counted = requests.with({ code: code === 0 ? "<error>" : String(code), method, host });
      series.set(id, counted);
    }
    counted.inc();
    durations.with({ verb: method, host }).observe(durationMs / 1000);
  });
}
