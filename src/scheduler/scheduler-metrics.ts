/** What the scheduler counts, under the names that kube-scheduler gave it. From its loop; to whoever reads the metrics. */
import type { MetricsRegistry } from "../base/index.js";
import type { SchedulingQueue } from "./queue.js";

/** Disposing it takes the queue off the metrics. */
export interface SchedulerMetrics extends Disposable {
  /** An attempt to place a pod, and how long it took. */
  attempted(result: "scheduled" | "unschedulable" | "error", ms: number): void;
  /** An attempt to make room for a pod: `victims` are those that have to go, none if it would not help. */
  preempted(victims: number): void;
}

export function schedulerMetrics(
  metrics: MetricsRegistry,
  { profile, queue }: { readonly profile: string; readonly queue: Pick<SchedulingQueue, "counts"> },
): SchedulerMetrics {
  const labels = ["result", "profile"] as const;
  const attempts = metrics.counter({
    name: "scheduler_schedule_attempts_total",
    help: "Attempts to place a pod, by what came of them.",
    labels,
  });
  const seconds = metrics.histogram({
    name: "scheduler_scheduling_attempt_duration_seconds",
    help: "Time from taking a pod from the queue to the decision.",
    labels,
  });
  const preemptions = metrics.counter({
    name: "scheduler_preemption_attempts_total",
    help: "Attempts to make room for a pod.",
  });
  const victims = metrics.histogram({
    name: "scheduler_preemption_victims",
    help: "Pods that had to go for another, each time.",
    buckets: [1, 2, 4, 8, 16, 32, 64],
  });
  const pending = metrics.gauge({
    name: "scheduler_pending_pods",
    help: "Pods that wait for a node, by what for.",
    labels: ["queue"],
  });
  const collecting = metrics.beforeExpose(() => {
    for (const [name, count] of Object.entries(queue.counts)) pending.with({ queue: name }).set(count);
  });
  return {
    attempted(result, ms) {
      attempts.with({ result, profile }).inc();
      seconds.with({ result, profile }).observe(ms / 1_000);
    },
    preempted(count) {
      preemptions.inc();
      if (count > 0) victims.observe(count);
    },
    [Symbol.dispose]: () => collecting[Symbol.dispose](),
  };
}
