/** informer: takes a client (or any list and watch), gives caches that follow the server, and their events. */
export {
  type Cacheable,
  type ListerWatcher,
  type SourceListOptions,
  type ListPage,
  type TweakListOptions,
  Undecodable,
  type WatchBatches,
  type SourceEvent,
  type SourceWatchOptions,
} from "./source/list-watch.js";
export { cacheDecoder, type ListWatchClient, listWatchOf, type ListWatchScope } from "./source/client-list-watch.js";
export {
  Reflector,
  type ReflectorOptions,
  type WatchErrorHandler,
} from "./reflector/reflector.js";
export type { ReflectorActivity, ReflectorView } from "./reflector/view.js";
export type { ReflectorStore } from "./reflector/apply.js";
export {
  type Delta,
  type DeltaBatch,
  DeltaFifo,
  type DeltaFifoOptions,
  type ObjectDelta,
  type Transform,
  type WholeDelta,
} from "./store/delta-fifo.js";
export {
  Indexer,
  type IndexerOptions,
  type Indexers,
  type IndexSize,
  namespaceIndex,
  namespaceIndexFunction,
  type ReadonlyStore,
  type Replacement,
} from "./store/indexer.js";
export type { IndexFunction } from "./store/index-table.js";
export {
  type Deleted,
  DeletedFinalStateUnknown,
  deletedObject,
  deletionHandlingKey,
  KeyError,
  type KeyFunction,
} from "./store/key.js";
export {
  type ChangeHandler,
  type HandlerState,
  type ObjectChange,
  type ResourceEventHandler,
} from "./processor/handlers.js";
export {
  type HandlerOptions,
  type HandlerRegistration,
  type InformerOptions,
  SharedIndexInformer,
} from "./shared-informer.js";
export { ExpiringCache, type ExpiringCacheOptions } from "./store/expiring-cache.js";
export { untilWithSync, type UntilWithSyncOptions } from "./until-with-sync.js";
export { createLister, type Lister, type NamespaceLister } from "./lister.js";
export {
  CacheSyncError,
  type FactoryInformer,
  type FactoryOptions,
  type InformerScope,
  SharedInformerFactory,
} from "./factory.js";
export type { EventFacts } from "./processor/trace.js";
