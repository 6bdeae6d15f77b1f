/** controller: takes a reconciler and kinds, gives a loop that makes the cluster match, with a journal that explains each run. */
export {
  type CacheIndex,
  type CacheReader,
  ClusterCache,
  type ClusterCacheOptions,
  type ObjectPlace,
  UndeclaredKindError,
} from "./cache/cluster-cache.js";
export { type KindNeed, OtherShardError } from "./cache/declared.js";
export type { CacheListOptions, CacheOptions } from "./cache/options.js";
export { anyChange, type Predicate, specChanged } from "./intake/change.js";
export type { ObjectChange } from "../informer/index.js";
export { Controller } from "./controller.js";
export type { ClusterAccess, ControllerHost } from "./host.js";
export { KeyLoop } from "./loop/key-loop.js";
export type {
  ControllerFigures,
  ControllerRunOptions,
  ControllerSnapshot,
  KeyLoopHost,
  KeyLoopOptions,
  SyncResult,
  Wake,
} from "./loop/options.js";
export { type KeyPage, type KeyQuery, type KeyRow, type KeyState, keyStates } from "./loop/key-query.js";
export { KeyRun, type RunFacts } from "./loop/key-run.js";
export type { KeyPass, ShardHolder } from "./loop/shard-keys.js";
export type { AwaitedCache } from "./own-writes/awaited-writes.js";
export {
  coreCorrelation,
  coreEventSink,
  EventBroadcaster,
  type EventBroadcasterOptions,
  type EventCorrelation,
  type EventDetails,
  type EventOutcome,
  type EventRecorder,
  type EventReporter,
  type EventSink,
  eventsV1Sink,
  type EventType,
  type EventWrite,
  fakeEventRecorder,
  type Occurrence,
  referenceTo,
  seriesCorrelation,
} from "./events/index.js";
export { withConditions } from "./authoring/conditions.js";
export { desired, type Desired, type DesiredOptions, type Observed } from "./authoring/desired.js";
export { isDeleting } from "../api/index.js";
export { ensureFinalizer, hasFinalizer, removeFinalizer } from "./authoring/finalizers.js";
export { isPausedFor, pausedAnnotation } from "./authoring/pause.js";
export { adopt, AdoptionError, childName, isFreeFor, orphan } from "./authoring/ownership.js";
export { type CausalChain, type CausalLink, causesOf, type ChainTarget } from "./history/causes.js";
export type { LoopReport } from "./history/hot-loop.js";
export {
  explainEntry,
  Journal,
  type JournalEntry,
  type JournalRead,
  type JournalResult,
  type JournalWrite,
} from "./history/journal.js";
export {
  checkControllerOptions,
  type ControllerKinds,
  type ControllerOptions,
  type FinalizerUse,
  type KindUse,
  kindsOf,
  refuseSharedFinalizer,
} from "./options.js";
export {
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
  type Request,
  type RunContext,
  InterruptedError,
  TerminalError,
} from "./reconcile.js";
export type { ReconcileClient, StatusOf, StatusWriter } from "./reconcile-client.js";
export { type MissingPermission, Refusals } from "./loop/refusals.js";
export type { OverdueRun } from "./loop/under-way.js";
export type { DeadLetter, FailingKey } from "./history/retries.js";
export {
  callbackSource,
  iterableSource,
  owned,
  type OwnedOptions,
  type Source,
  type SourceTools,
  timerSource,
  watch,
  type WatchSpec,
  type WatchSpecOptions,
} from "./intake/sources.js";
export { type ReconcileFacts, traceAnnotation, type WriteFacts } from "./trace.js";
