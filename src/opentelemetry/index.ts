/** opentelemetry: takes the points that the other layers publish, gives spans that lead from a change to its effects. */
export { type Tracing, type TracingOptions, startTracing } from "./tracing.js";
export { withTraceIds } from "./log.js";
