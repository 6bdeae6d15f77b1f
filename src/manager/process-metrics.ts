/** Reports the memory, processor time and event loop of this process, under the names that Prometheus' clients use. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock, MetricsRegistry } from "../base/index.js";

/** The event loop's delay is sampled this often. */
const resolutionMs = 20;
const nanosecondsPerSecond = 1e9;

/** Reports from now on; disposing ends the sampling. Each exposition shows the delays since the one before. */
export function meterProcess(metrics: MetricsRegistry, clock: Clock): Disposable {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const cpu = metrics.counter({ name: "process_cpu_seconds_total", help: "Processor time of the process" });
  const resident = gauge("process_resident_memory_bytes", "Resident memory of the process");
  const heap = gauge("nodejs_heap_size_used_bytes", "Memory of JavaScript objects");
  const external = gauge("nodejs_external_memory_bytes", "Memory of buffers and other objects outside the heap");
  const lag = {
    50: gauge("nodejs_eventloop_lag_p50_seconds", "Delay of the event loop since the last look, median"),
    99: gauge("nodejs_eventloop_lag_p99_seconds", "Delay of the event loop since the last look, 99th percentile"),
    100: gauge("nodejs_eventloop_lag_max_seconds", "Delay of the event loop since the last look, longest"),
  } as const;
  gauge("process_start_time_seconds", "The start of the process, since the epoch").set(
    clock.now() / 1000 - process.uptime(),
  );
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let countedSeconds = 0;
  const reporting = metrics.beforeExpose(() => {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    cpu.inc(seconds - countedSeconds);
    countedSeconds = seconds;
    const { rss, heapUsed, external: outside } = process.memoryUsage();
    resident.set(rss);
    heap.set(heapUsed);
    external.set(outside);
    for (const [percent, series] of Object.entries(lag)) {
      // a sample is late by at least the sampling's own period
      const delay = delays.count === 0 ? 0 : delays.percentile(Number(percent)) / nanosecondsPerSecond;
      series.set(Math.max(0, delay - resolutionMs / 1000));
    }
    delays.reset();
  });
  return {
    [Symbol.dispose]() {
      reporting[Symbol.dispose]();
      delays.disable();
    },
  };
}
