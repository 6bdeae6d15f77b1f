/**
 * workqueue: takes keys from event handlers, gives them to workers; each key waits at most once and runs at most once
 * at a time.
 */
export { DelayingQueue, type WaitingDelayed } from "./delaying.js";
export { fairOrder, type FairOrderOptions, fairPriorityOrder } from "./fair.js";
export { fifoOrder, type Order, type Queued, type RemovableOrder } from "./order.js";
export { lowPriority, priorityOrder, type PriorityOrderOptions, readyOrder } from "./priority.js";
export {
  type AddOptions,
  type DelayedKey,
  type GetOptions,
  Queue,
  type QueuedKey,
  type QueueOptions,
  type QueueSnapshot,
  type WaitingKey,
  type Work,
} from "./queue.js";
export {
  bucket,
  defaultControllerLimiter,
  type ExponentialOptions,
  type FastSlowOptions,
  itemExponentialFailure,
  itemFastSlow,
  maxOf,
  type RateLimiter,
  withMaxWait,
} from "./rate-limiters.js";
export { RateLimitingQueue } from "./rate-limiting.js";
export { describeReason, type Reason, type Reasons } from "./reasons.js";
export {
  isOrdinary,
  runWorkers,
  type RunWorkersOptions,
  type ServedQueue,
  serveQueue,
  type ServeQueueOptions,
  type SyncContext,
  type WorkerQueue,
} from "./run-workers.js";
export type { WaitFacts } from "./trace.js";
