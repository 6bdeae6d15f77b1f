/** scheduler: takes a client, binds each pending pod to a node that fits it, as kube-scheduler would. */
export { SchedulerConfigurationError } from "./configuration/fields.js";
export { parseSchedulerConfiguration } from "./configuration/read.js";
export type {
  ClientConnectionConfiguration,
  ExtenderConfiguration,
  ExtenderTls,
  LeaderElectionConfiguration,
  PluginConfig,
  PluginSet,
  PluginSets,
  SchedulerConfiguration,
  SchedulerProfile,
} from "./configuration/types.js";
export type { SchedulerOptions } from "./options.js";
export { type RunningScheduler, startScheduler } from "./start-scheduler.js";
