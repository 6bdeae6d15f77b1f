/** The metrics of the process as plain numbers, for plots. */
import { systemClock } from "../../base/index.js";
import type { PageSources } from "../sources.js";
import type { NumbersAnswer, NumberSeries } from "../wire.js";

/** Families with more series than this are summed up: a page cannot show them one by one. */
const mostSeries = 2_000;

/** The metrics of these names; all if there are none. */
export function numbersOf({ metrics, clock = systemClock }: PageSources, names: readonly string[]): NumbersAnswer {
  const counters: [string, readonly NumberSeries[]][] = [];
  for (const metric of metrics.metrics()) {
    if (names.length > 0 && !names.includes(metric.name)) continue;
    const series: NumberSeries[] = [];
    for (const { values, series: one } of metric.series()) {
      if (series.length >= mostSeries) break;
      series.push(
        "sum" in one ? { labels: values, value: one.count, sum: one.sum } : { labels: values, value: one.value },
      );
    }
    counters.push([metric.name, series]);
  }
  return { at: clock.now(), counters: Object.fromEntries(counters) };
}
