/** Log lines that carry the ids of the span in which they are written. */
import { context, isSpanContextValid, trace } from "@opentelemetry/api";
import { type Logger, loggerTo } from "../base/index.js";

/** A logger that adds `trace_id` and `span_id` to the lines that are written in a span. */
export function withTraceIds(log: Logger): Logger {
  return loggerTo({
    enabled: (level) => log.enabled(level),
    write(level, message, fields) {
      const span = trace.getSpanContext(context.active());
      const isTraced = span !== undefined && isSpanContextValid(span);
      log[level](message, isTraced ? { ...fields, trace_id: span.traceId, span_id: span.spanId } : fields);
    },
  });
}
