/** Prints metrics as text, in the two formats that scrapers read. */
import type { AnyMetric } from "./metric.js";

export type ExpositionFormat = "prometheus" | "openmetrics";

/** The value of the Content-Type header for each format. */
export const expositionContentType: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** A metric, and labels that its series get in addition. */
export interface ShownMetric {
  readonly metric: AnyMetric;
  readonly labels: Readonly<Record<string, string>>;
}

/** Metrics of one name must follow each other: they are one family. */
export function exposeMetrics(metrics: Iterable<ShownMetric>, format: ExpositionFormat): string {
  const lines: string[] = [];
  const open = format === "openmetrics";
  let family = "";
  for (const shown of metrics) {
    const { metric } = shown;
    if (metric.name !== family) lines.push(heading(metric, open));
    family = metric.name;
    exposeSeries(shown, open, lines);
  }
  if (format === "openmetrics") lines.push("# EOF\n");
  return lines.join("");
}

function heading(metric: AnyMetric, open: boolean): string {
  const family = familyName(metric, open);
  return `# HELP ${family} ${escapeHelp(metric.help, open)}\n# TYPE ${family} ${metric.type}\n`;
}

/** OpenMetrics names a counter's family without the _total of its samples. */
function familyName({ name, type }: AnyMetric, open: boolean): string {
  return open && type === "counter" ? name.replace(/_total$/, "") : name;
}

function exposeSeries({ metric, labels }: ShownMetric, open: boolean, lines: string[]): void {
  const family = familyName(metric, open);
  const added = labelPairs(Object.keys(labels), Object.values(labels));
  const print = numberPrinter(open);
  if (metric.type !== "histogram") {
    const sample = open && metric.type === "counter" ? `${family}_total` : metric.name;
    for (const { values, series } of metric.series()) {
      lines.push(`${sample}${braces([...labelPairs(metric.labels, values), ...added])} ${print(series.value)}\n`);
    }
    return;
  }
  for (const { values, series } of metric.series()) {
    const pairs = [...labelPairs(metric.labels, values), ...added];
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
