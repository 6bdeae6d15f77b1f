/** manager: takes clients and controllers, runs them as one program: caches, a lease, probes, order at start and stop. */
export { withoutManagedFields } from "../api/meta/managed-fields.js";
export { Cluster, type ManagedClusterOptions } from "./cluster.js";
export { type DebugPage, debugPage, type ShownControllers } from "./http/debug-pages.js";
export {
  flagsHelp,
  loggerFrom,
  type ManagerFlags,
  managerOptionsFrom,
  parseAddress,
  parseFlags,
  UsageError,
  usageExitCode,
} from "./program/flags.js";
export {
  type CandidateClient,
  type CoordinatedElection,
  defaultIdentity,
  type ElectionRules,
  fencedTransport,
  type LeaderCallbacks,
  LeaderElector,
  type LeaderElectorOptions,
  type LeaderTerm,
  type LeaseClient,
  leaseClient,
  type LeaseName,
  NotLeaderError,
  type TermSource,
  type EndedTerm,
} from "./leader-election/index.js";
export type { HttpHandler } from "./http/http-server.js";
export { type FleetDeclaration, Manager } from "./manager.js";
export { type ClusterProvider, Fleet, type FleetClusters } from "./fleet/fleet.js";
export { secretClusters, type SecretClustersOptions } from "./fleet/secret-clusters.js";
export type { ManagerOptions } from "./options.js";
export type {
  CertificateSource,
  Complaint,
  Review,
  Verdict,
  WebhookOptions,
  WebhookServerOptions,
  WebhookService,
} from "../webhook/index.js";
export type { CacheCost, ManagerMemory, RecentCost } from "./memory.js";
export type { FlagValues, OwnFlag, OwnFlags } from "./program/own-flags.js";
export { type Main, type ProgramContext, type ProgramOptions, runProgram } from "./program/program.js";
export type { ManagerNeeds } from "./needs/needs.js";
export type { Runnable } from "./stages.js";
export {
  type Acquisitions,
  type GroupClient,
  type ShardPass,
  Sharder,
  type SharderOptions,
  type ShardingOptions,
} from "./sharding/index.js";
export { setupSignalHandler, type SignalSource } from "./program/signals.js";
