import { expect, test } from "vitest";
import { MetricsRegistry } from "../base/index.js";
import { schedulerMetrics } from "./scheduler-metrics.js";

test("attempts, pods that wait and pods that had to go are counted under upstream's names", () => {
  const registry = new MetricsRegistry();
  const queue = { counts: { active: 1, backoff: 2, unschedulable: 3, gated: 0 } };
  const metrics = schedulerMetrics(registry, queue);
  metrics.attempted("scheduled", { profile: "default-scheduler", ms: 4 });
  metrics.preempted(0);
  metrics.preempted(3);
  const lines = registry.expose().split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1',
      'scheduler_pending_pods{queue="unschedulable"} 3',
      "scheduler_preemption_attempts_total 2",
      'scheduler_preemption_victims_bucket{le="4"} 1',
      "scheduler_preemption_victims_sum 3",
    ]),
  );
  metrics[Symbol.dispose]();
  queue.counts.unschedulable = 9;
  expect(registry.expose()).toContain('scheduler_pending_pods{queue="unschedulable"} 3');
});
