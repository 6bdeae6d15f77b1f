/** base: takes nothing, gives every layer time, chance, lifetimes, containers, logs and metrics. Knows no Kubernetes. */
export { abortable, abortReason, isAbortOf, type LinkedAbort, linkedAbort, onAbort } from "./abort.js";
export { asError, messageOf, messageWithCauses, stackOf, type StackOptions } from "./log/errors.js";
export { Heap, type HeapOptions } from "./containers/heap.js";
export type { HttpBody, HttpHeaders, HttpRequest, HttpResponse, Transport } from "./http.js";
export { detectLeaks, type LeakDetection, type LeakKind, type OpenResource, trackLeak } from "./leaks.js";
export { type Closable, closable, Lifetime, type Running, runTogether, startRunning } from "./lifetime.js";
export { createLogger, type Fields, type LogLevel, type Logger, type LoggerOptions, silentLogger } from "./log/log.js";
export {
  loggerTo,
  type LogTarget,
  pinoLogger,
  type PinoLogger,
  winstonLogger,
  type WinstonLogger,
} from "./log/adapters.js";
export { OutageLog, type OutageLogOptions } from "./log/outage.js";
export { type ExpositionFormat, expositionContentType } from "./metrics/exposition.js";
export {
  Counter,
  CounterSeries,
  Gauge,
  GaugeSeries,
  Histogram,
  type HistogramOptions,
  HistogramSeries,
  type LabelValues,
  type MetricOptions,
} from "./metrics/metric.js";
export { type ExposeOptions, MetricsRegistry } from "./metrics/registry.js";
export { checkNumber, checkNumbers, type NumberRule } from "./options/numbers.js";
export { checkOptions, type OptionRule, type OptionsCheck, shown } from "./options/options.js";
export { type Random, seededRandom, systemRandom } from "./random.js";
export { Recent, type RecentOptions } from "./containers/recent.js";
export { Ring } from "./containers/ring.js";
export { isLoopback } from "./machine/loopback.js";
export {
  closeFile,
  closeFolder,
  createPrivateFile,
  makePrivateFolder,
  syncFolder,
  writePrivateFile,
} from "./machine/private-folder.js";
export { type Backoff, type BackoffOptions, exponentialBackoff } from "./time/backoff.js";
export { type Clock, sleepOn, systemClock, type Timer } from "./time/clock.js";
export { type Cooperative, cooperative, type CooperativeOptions } from "./time/cooperative.js";
export { FakeClock, type FakeClockOptions, type Operation } from "./time/fake-clock.js";
export { inOneGo, inSlices, type Steps, type WaitingSteps, runWithin } from "./time/steps.js";
export { sliceAmong, type Turns, turnsOf, uninterrupted } from "./time/turns.js";
export { KeyedBackoff, type KeyedBackoffOptions } from "./time/keyed-backoff.js";
export { type Reservation, TokenBucket, type TokenBucketOptions } from "./time/token-bucket.js";
export { clockOf, operationOn, settledOn } from "./time/virtual.js";
export { unreachable } from "./unreachable.js";
