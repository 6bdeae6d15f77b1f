/** Counts and times requests, under kube-apiserver's metric names. */
import { getOrMake } from "../../../base/containers/recent.js";
import type { Clock, MetricsRegistry } from "../../../base/index.js";
import type { Registry } from "../../registry/registry.js";
import type { RequestInfo } from "../../contracts/request.js";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

interface Series {
  readonly count: (code: number) => void;
  readonly observe: (seconds: number) => void;
}

/** Called when an answer is there, with the time at which its request came. */
export type MeasureRequest = (
  info: RequestInfo,
  request: { readonly method: string; readonly code: number; readonly startedAt: number },
) => void;

export function requestMetrics(metrics: MetricsRegistry, registry: Registry, clock: Clock): MeasureRequest {
  const labels = ["verb", "group", "version", "resource", "subresource", "code"] as const;
  const total = metrics.counter({ name: "apiserver_request_total", help: "Requests answered.", labels });
  const seconds = metrics.histogram({
    name: "apiserver_request_duration_seconds",
    help: "Time until the answer's headers.",
    labels: ["verb", "group", "version", "resource", "subresource"],
  });
  /** Series by subject, so that a request need not look them up by labels. */
  const known = new Map<string, Series>();
  const seriesOf = (info: RequestInfo, method: string, unknown: boolean): Series => {
    // names that clients invent must not become series
    const about =
      unknown || info.type === "other"
        ? { verb: methods.has(method) ? method : "other", group: "", version: "", resource: "", subresource: "" }
        : {
            verb: info.verb.toUpperCase(),
            group: info.group,
            version: info.version,
            resource: info.resource,
            subresource: info.subresource,
          };
    const duration = seconds.with(about);
    const counters = new Map<number, { inc(): void }>();
    return {
      count(code) {
        const counter = getOrMake(counters, code, () => total.with({ ...about, code: String(code) }));
        counter.inc();
      },
      observe: (value) => duration.observe(value),
    };
  };
  return (info, { method, code, startedAt }) => {
    const unknown =
      code === 404 || info.type === "other" || registry.endpoint(info.group, info.version, info.resource) === undefined;
    const id = unknown ? method : `${info.verb} ${info.group}/${info.version}/${info.resource}/${info.subresource}`;
    let series = known.get(id);
    if (series === undefined) {
      series = seriesOf(info, method, unknown);
      if (!unknown || methods.has(method)) known.set(id, series);
    }
    series.count(code);
    series.observe((clock.monotonic() - startedAt) / 1000);
  };
}
