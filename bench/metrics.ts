/**
 * One increment of a counter with two labels, and one line of a logger that is off. Compares with a map keyed by
 * labels, and with a bare addition.
 */
import { createLogger, MetricsRegistry } from "../src/base/index.js";
import { measure, type Run } from "./harness.js";

const batch = 10_000;

/** The obvious alternative: each increment names its labels, and a map finds the number by them. */
class MapCounter {
  readonly values = new Map<string, number>();

  inc(labels: Readonly<Record<string, string>>): void {
    const key = Object.entries(labels)
      .map(([name, value]) => `${name}="${value}"`)
      .join();
    this.values.set(key, (this.values.get(key) ?? 0) + 1);
  }
}

const repeated = (work: () => void) => () => {
  for (let i = 0; i < batch; i++) work();
  return batch;
};

export const run: Run = () => {
  const registry = new MetricsRegistry();
  const counter = registry.counter({ name: "requests_total", help: "Requests.", labels: ["verb", "code"] });
  const bound = counter.with({ verb: "GET", code: "200" });
  const histogram = registry.histogram({ name: "seconds", help: "Time.", labels: ["verb"] }).with({ verb: "GET" });
  const map = new MapCounter();
  const off = createLogger({ level: "error" });
  let bare = 0;
  const times = measure({
    bound: repeated(() => bound.inc()),
    named: repeated(() => counter.with({ verb: "GET", code: "200" }).inc()),
    map: repeated(() => map.inc({ verb: "GET", code: "200" })),
    observe: repeated(() => histogram.observe(0.03)),
    off: repeated(() => off.debug("reconciled", { key: "default/web", attempt: 1 })),
    bare: repeated(() => {
      bare += 1;
    }),
  });
  return {
    figures: {
      "counter, held series (ns/increment)": times.bound,
      "counter, series by labels (ns/increment)": times.named,
      "map keyed by labels (ns/increment)": times.map,
      "histogram, held series (ns/observation)": times.observe,
      "log line that is off (ns/line)": times.off,
      [`bare addition (ns, ${bare > 0 ? "measured" : "not measured"})`]: times.bare,
    },
    ratios: {
      "held series faster than a map": times.map / times.bound,
      "series by labels faster than a map": times.map / times.named,
    },
  };
};
