/** Prints metrics as text, in the two formats that scrapers read. */
import type { AnyMetric } from "./metric.js";

export type ExpositionFormat = "prometheus" | "openmetrics";

/** The value of the Content-Type header for each format. */
export const expositionContentType: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

export function exposeMetrics(metrics: Iterable<AnyMetric>, format: ExpositionFormat): string {
  const lines: string[] = [];
  for (const metric of metrics) exposeMetric(metric, format === "openmetrics", lines);
  if (format === "openmetrics") lines.push("# EOF\n");
  return lines.join("");
}

function exposeMetric(metric: AnyMetric, open: boolean, lines: string[]): void {
  // OpenMetrics names a counter's family without the _total of its samples
  const family = open && metric.type === "counter" ? metric.name.replace(/_total$/, "") : metric.name;
  lines.push(`# HELP ${family} ${escapeHelp(metric.help, open)}\n# TYPE ${family} ${metric.type}\n`);
  const print = numberPrinter(open);
  if (metric.type !== "histogram") {
    const sample = open && metric.type === "counter" ? `${family}_total` : metric.name;
    for (const { values, series } of metric.series()) {
      lines.push(`${sample}${braces(labelPairs(metric.labels, values))} ${print(series.value)}\n`);
    }
    return;
  }
  for (const { values, series } of metric.series()) {
    const pairs = labelPairs(metric.labels, values);
    const counts = series.cumulativeCounts();
    for (const [i, count] of counts.entries()) {
      const bound = print(metric.buckets[i] ?? Number.POSITIVE_INFINITY);
      lines.push(`${family}_bucket${braces([...pairs, `le="${bound}"`])} ${count}\n`);
    }
    lines.push(`${family}_sum${braces(pairs)} ${print(series.sum)}\n`);
    lines.push(`${family}_count${braces(pairs)} ${counts.at(-1) ?? 0}\n`);
  }
}

function labelPairs(labels: readonly string[], values: readonly string[]): string[] {
  return labels.map((label, i) => `${label}="${escapeLabel(values[i] ?? "")}"`);
}

function braces(pairs: readonly string[]): string {
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
}

/** Prometheus leaves quotes in help texts alone; OpenMetrics escapes them as in labels. */
function escapeHelp(help: string, open: boolean): string {
  return open ? escapeLabel(help) : help.replace(/[\\\n]/g, (char) => (char === "\n" ? "\\n" : "\\\\"));
}

/** OpenMetrics wants bounds to be visibly floats, so that 1 and 1.0 are not two series; values are printed in the same form. */
function numberPrinter(open: boolean): (value: number) => string {
  return (value) => {
    if (value === Number.POSITIVE_INFINITY) return "+Inf";
    if (value === Number.NEGATIVE_INFINITY) return "-Inf";
    const text = String(value);
    return open && /^-?\d+$/.test(text) ? `${text}.0` : text;
  };
}
