/** scheduler: takes a client, binds each pending pod to a node that fits it, as kube-scheduler would. */
export type { SchedulerOptions } from "./options.js";
export { type RunningScheduler, startScheduler } from "./start-scheduler.js";
