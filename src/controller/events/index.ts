/**
 * events: recorders report occurrences about an object, a broadcaster sends them to the server, correlated, without
 * ever delaying the reporter.
 */
export { EventBroadcaster, type EventBroadcasterOptions } from "./broadcaster.js";
export { coreCorrelation } from "./core-correlation.js";
export { type EventReporter, type EventType, type Occurrence, referenceTo } from "./occurrence.js";
export { type EventDetails, type EventRecorder, fakeEventRecorder } from "./recorder.js";
export type { EventOutcome } from "./recording.js";
export { seriesCorrelation } from "./series-correlation.js";
export { coreEventSink, type EventCorrelation, type EventSink, eventsV1Sink, type EventWrite } from "./sink.js";
