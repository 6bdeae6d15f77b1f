/** events: recorders tell what happened to an object, a broadcaster carries it to the server, correlated and never in the way. */
export { EventBroadcaster, type EventBroadcasterOptions } from "./broadcaster.js";
export { coreCorrelation, type CoreCorrelationOptions } from "./core-correlation.js";
export type { EventReporter, EventType, Occurrence } from "./occurrence.js";
export { type EventDetails, type EventRecorder, fakeEventRecorder } from "./recorder.js";
export type { EventOutcome } from "./recording.js";
export { seriesCorrelation } from "./series-correlation.js";
export { coreEventSink, type EventCorrelation, type EventSink, eventsV1Sink, type EventWrite } from "./sink.js";
