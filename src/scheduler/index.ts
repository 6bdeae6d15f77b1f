/** scheduler: takes a client, binds each pending pod to a node that fits it, as kube-scheduler would. */
export { type RunningScheduler, type SchedulerOptions, startScheduler } from "./scheduler.js";
