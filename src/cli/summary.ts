/**
 * A one-line summary of the cluster, from the caches and metrics of `up`: rewritten in place on a terminal, elsewhere
 * printed when it changes.
 */
import { isConditionTrue, Deployment, Node, Pod } from "../api/index.js";
import { type Clock, type MetricsRegistry, type Running, startRunning, systemClock } from "../base/index.js";
import { emptyMap } from "../base/members.js";
import type { SharedInformerFactory } from "../informer/index.js";
import type { Terminal } from "./terminal.js";

export interface Figures {
  readonly nodes: number;
  readonly nodesReady: number;
  /** Pods by phase; terminating ones count as `Terminating`. */
  readonly pods: Readonly<Record<string, number>>;
  /** Undefined if no controller in this process handles Deployments. */
  readonly deployments?: { readonly all: number; readonly available: number };
}

export interface SummaryOptions {
  readonly terminal: Terminal;
  readonly informers: SharedInformerFactory;
  readonly metrics: MetricsRegistry;
  /** False if the cache of Deployments is not filled anyway. */
  readonly deployments: boolean;
  readonly clock?: Clock;
}

const terminalEveryMs = 1_000;
const linesEveryMs = 10_000;

/** Shows the summary until it is disposed; then the line ends. */
export function startSummary(options: SummaryOptions): Running {
  return startRunning((signal) => (options.terminal.isInteractive ? rewrite(options, signal) : print(options, signal)));
}

async function rewrite(
  { terminal, clock = systemClock, ...options }: SummaryOptions,
  signal: AbortSignal,
): Promise<void> {
  let reconciles = countReconciles(options.metrics);
  let at = clock.monotonic();
  try {
    for (;;) {
      await clock.sleep(terminalEveryMs, signal);
      const [now, count] = [clock.monotonic(), countReconciles(options.metrics)];
      const perSecond = Math.round(((count - reconciles) * 1_000) / Math.max(1, now - at));
      [reconciles, at] = [count, now];
      const line = `${lineOf(figures(options))} · ${perSecond} reconciles/s`;
      terminal.out(`\r\u001b[2K${line.slice(0, terminal.columns?.() || 200)}`);
    }
  } finally {
    terminal.out("\r\u001b[2K");
  }
}

/** Prints a line when something has changed, at a limited rate. */
async function print(
  { terminal, clock = systemClock, ...options }: SummaryOptions,
  signal: AbortSignal,
): Promise<void> {
  let last = lineOf(figures(options));
  for (;;) {
    await clock.sleep(linesEveryMs, signal);
    const line = lineOf(figures(options));
    if (line !== last) terminal.out(`${line}\n`);
    last = line;
  }
}

function figures({ informers, deployments }: Pick<SummaryOptions, "informers" | "deployments">): Figures {
  const nodes = informers.informer(Node).indexer.list();
  const pods = emptyMap<number>();
  for (const { metadata, status } of informers.informer(Pod).indexer.list()) {
    const phase = metadata.deletionTimestamp === undefined ? (status?.phase ?? "Pending") : "Terminating";
    pods[phase] = (pods[phase] ?? 0) + 1;
  }
  const all = deployments ? informers.informer(Deployment).indexer.list() : undefined;
  return {
    nodes: nodes.length,
    nodesReady: nodes.filter(({ status }) => isConditionTrue(status?.conditions, "Ready")).length,
    pods,
    ...(all && { deployments: { all: all.length, available: all.filter(isAvailable).length } }),
  };
}

const isAvailable = ({ status }: Deployment): boolean => isConditionTrue(status?.conditions, "Available");

/** In the order of a pod's life. */
const phases = ["Running", "Pending", "Succeeded", "Failed", "Terminating"] as const;

export function lineOf({ nodes, nodesReady, pods, deployments }: Figures): string {
  const counted = phases.flatMap((phase) => {
    const count = pods[phase] ?? 0;
    return count === 0 && phase !== "Running" ? [] : [`${count} ${phase.toLowerCase()}`];
  });
  const parts = [`nodes ${nodesReady}/${nodes} ready`, `pods ${counted.join(", ")}`];
  if (deployments !== undefined) parts.push(`deployments ${deployments.available}/${deployments.all} available`);
  return parts.join(" · ");
}

function countReconciles(metrics: MetricsRegistry): number {
  const adds = metrics.counter({
    name: "workqueue_adds_total",
    help: "Keys added to the queue, without those that already waited",
    labels: ["name"],
  });
  let count = 0;
  for (const { series } of adds.series()) count += series.value;
  return count;
}
