/** Starts a scheduler, and gives the means to wait for it and to stop it. */
import { type Running, startRunning } from "../base/index.js";
import type { SharedInformerFactory } from "../informer/index.js";
import type { SchedulerOptions } from "./options.js";
import { Scheduler } from "./scheduler.js";

export interface RunningScheduler extends Running {
  /** Resolves when the caches are filled and pods are being placed. */
  readonly started: Promise<void>;
  /** The caches that it works on, for a view of the process. */
  readonly informers: SharedInformerFactory;
}

/** Places pods until it is disposed; disposing waits for bindings under way. */
export function startScheduler(options: SchedulerOptions, parent?: AbortSignal): RunningScheduler {
  let begun = (): void => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const scheduler = new Scheduler(options);
  const running = startRunning((signal) => scheduler.run(signal, begun), parent);
  return { ...running, informers: scheduler.informers, started: Promise.race([started, running.done]) };
}
