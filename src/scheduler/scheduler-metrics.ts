/** The scheduler's metrics, under kube-scheduler's names. */
import type { MetricsRegistry } from "../base/index.js";
import type { SchedulingQueue } from "./queue.js";

/** Disposing removes the queue from the metrics. */
export interface SchedulerMetrics extends Disposable {
  /** Counts an attempt to place a pod, with its duration. */
  attempted(
    result: "scheduled" | "unschedulable" | "error",
    by: { readonly profile: string; readonly ms: number },
  ): void;
  /** Counts an attempt to make room for a pod; `victims` is 0 if removing pods would not help. */
  preempted(victims: number): void;
}

export function schedulerMetrics(metrics: MetricsRegistry, queue: Pick<SchedulingQueue, "counts">): SchedulerMetrics {
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
    attempted(result, { profile, ms }) {
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
