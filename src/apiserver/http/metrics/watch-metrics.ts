/** Counts open watches, under kube-apiserver's metric name, and the bytes that they have sent. */
import type { ResourceType } from "../../../api/index.js";
import type { MetricsRegistry } from "../../../base/index.js";
import type { Machinery, WatchMeter } from "../../contracts/scope.js";

export function watchMetrics(metrics: MetricsRegistry): Machinery["watchMeter"] {
  const labels = ["verb", "group", "version", "resource"] as const;
  const open = metrics.gauge({ name: "apiserver_longrunning_requests", help: "Watches that are open.", labels });
  const bytes = metrics.counter({
    name: "coxswain_apiserver_watch_bytes_total",
    help: "Bytes of events sent to watches.",
    labels: ["group", "version", "resource"],
  });
  /** Meters by resource, so that a watch need not look its series up by labels. */
  const known = new Map<string, WatchMeter>();
  return ({ group, version, plural: resource }: Pick<ResourceType, "group" | "version" | "plural">) => {
    const id = `${group}/${version}/${resource}`;
    let meter = known.get(id);
    if (meter === undefined) {
      const [gauge, counter] = [
        open.with({ verb: "WATCH", group, version, resource }),
        bytes.with({ group, version, resource }),
      ];
      meter = { opened: () => gauge.inc(), sent: (more) => counter.inc(more), closed: () => gauge.dec() };
      known.set(id, meter);
    }
    return meter;
  };
}
