/** The metrics of a KeyLoop: the names of controller-runtime where it has the same metric, so that its dashboards work. */
import type { MetricsRegistry } from "../../base/index.js";

/** The end of a run: `requeued` is a success that asked for another run. */
type MeteredResult = "done" | "requeued" | "failed" | "dead" | "gone" | "paused";

export interface LoopMeter {
  ended(result: MeteredResult, durationMs: number): void;
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
    readonly paused: number;
  };
}

/** In seconds; those of controller-runtime, because a dashboard compares programs by them. */
const durationBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export function loopMeter(metrics: MetricsRegistry, { controller, workers, state }: LoopMeterOptions): LoopMeter {
  const labels = ["controller"] as const;
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels }).with({ controller });
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels }).with({ controller });
  const total = metrics.counter({
    name: "controller_runtime_reconcile_total",
    help: "Runs of a reconciler by how they ended",
    labels: ["controller", "result"],
  });
  const durations = metrics
    .histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "How long runs of a reconciler take",
      labels,
      buckets: durationBuckets,
    })
    .with({ controller });
  const errors = counter("controller_runtime_reconcile_errors_total", "Runs of a reconciler that failed");
  const terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Runs after whose failure the key was given up until something changes",
  );
  const loops = counter("coxswain_hot_loops_total", "Times that a key was found to reconcile in a loop");
  gauge("controller_runtime_max_concurrent_reconciles", "Workers of a controller").set(workers);
  const gauges = {
    active: gauge("controller_runtime_active_workers", "Workers that are reconciling"),
    failing: gauge("coxswain_failing_keys", "Keys whose last run failed and that will be tried again"),
    dead: gauge("coxswain_dead_letters", "Keys that were given up until something changes"),
    slowed: gauge("coxswain_slowed_keys", "Keys that are slowed down because they loop"),
    overdue: gauge("coxswain_overdue_runs", "Runs that go on though their time is over, each of which holds a worker"),
    paused: gauge("coxswain_paused_keys", "Keys that rest because they or their controller are paused"),
  };
  const reporting = metrics.beforeExpose(() => {
    const now = state();
    for (const name of Object.keys(gauges) as (keyof typeof gauges)[]) gauges[name].set(now[name]);
  });
  const success = total.with({ controller, result: "success" });
  const error = total.with({ controller, result: "error" });
  const series = {
    done: success,
    gone: success,
    requeued: total.with({ controller, result: "requeue_after" }),
    failed: error,
    dead: error,
    paused: total.with({ controller, result: "paused" }),
  } as const;
  return {
    ended(result, durationMs) {
      series[result].inc();
      if (result === "failed" || result === "dead") errors.inc();
      if (result === "dead") terminal.inc();
      durations.observe(durationMs / 1000);
    },
    looped: () => loops.inc(),
    end: () => reporting[Symbol.dispose](),
  };
}
