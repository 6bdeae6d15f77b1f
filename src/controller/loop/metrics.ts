/** The metrics of a KeyLoop, under the names of its controller. */
import type { MetricsRegistry } from "../../base/index.js";

export interface LoopMeter {
  ended(result: "done" | "requeued" | "failed" | "dead" | "gone", durationMs: number): void;
  looped(): void;
  /** No more reports; the numbers so far stay. */
  end(): void;
}

export interface LoopMeterOptions {
  readonly controller: string;
  readonly workers: number;
  readonly state: () => {
    readonly active: number;
    readonly failing: number;
    readonly dead: number;
    readonly slowed: number;
    readonly overdue: number;
  };
}

export function loopMeter(metrics: MetricsRegistry, { controller, workers, state }: LoopMeterOptions): LoopMeter {
  const labels = ["controller"] as const;
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels }).with({ controller });
  const runs = metrics.counter({
    name: "coxswain_reconcile_total",
    help: "Runs of a reconciler by how they ended",
    labels: ["controller", "result"],
  });
  const durations = metrics
    .histogram({
      name: "coxswain_reconcile_duration_seconds",
      help: "How long runs of a reconciler take",
      labels,
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    })
    .with({ controller });
  const loops = metrics
    .counter({ name: "coxswain_hot_loops_total", help: "Times that a key was found to reconcile in a loop", labels })
    .with({ controller });
  gauge("coxswain_workers", "Workers of a controller").set(workers);
  const gauges = {
    active: gauge("coxswain_active_workers", "Workers that are reconciling"),
    failing: gauge("coxswain_failing_keys", "Keys whose last run failed and that will be tried again"),
    dead: gauge("coxswain_dead_letters", "Keys that were given up until something changes"),
    slowed: gauge("coxswain_slowed_keys", "Keys that are slowed down because they loop"),
    overdue: gauge("coxswain_overdue_runs", "Runs that go on though their time is over, each of which holds a worker"),
  };
  const reporting = metrics.beforeExpose(() => {
    const now = state();
    for (const name of Object.keys(gauges) as (keyof typeof gauges)[]) gauges[name].set(now[name]);
  });
  const series = {
    done: runs.with({ controller, result: "done" }),
    requeued: runs.with({ controller, result: "requeued" }),
    failed: runs.with({ controller, result: "failed" }),
    dead: runs.with({ controller, result: "dead" }),
    gone: runs.with({ controller, result: "gone" }),
  };
  return {
    ended(result, durationMs) {
      series[result].inc();
      durations.observe(durationMs / 1000);
    },
    looped: () => loops.inc(),
    end: () => reporting[Symbol.dispose](),
  };
}
