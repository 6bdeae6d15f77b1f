/** Counts the reviews of each webhook, under the names of controller-runtime. */
import type { Clock, MetricsRegistry } from "../base/index.js";

/** Records the beginning of a review at a path; the function that it gives records the status of its answer. */
export type ReviewMeter = (path: string) => (status: number) => void;

export function reviewMeter(metrics: MetricsRegistry, clock: Clock): ReviewMeter {
  const requests = metrics.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Reviews that were answered, by the status code of the answer",
    labels: ["webhook", "code"],
  });
  const latency = metrics.histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "How long the answer of a review takes",
    labels: ["webhook"],
  });
  const inFlight = metrics.gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Reviews that are being answered",
    labels: ["webhook"],
  });
  return (webhook) => {
    const startedAt = clock.monotonic();
    const current = inFlight.with({ webhook });
    current.inc();
    return (status) => {
      current.dec();
      requests.with({ webhook, code: String(status) }).inc();
      latency.with({ webhook }).observe((clock.monotonic() - startedAt) / 1000);
    };
  };
}
