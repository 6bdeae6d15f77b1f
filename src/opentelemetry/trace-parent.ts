/** A span's identity as text, in the form of the header `traceparent` (W3C Trace Context, section 3.2). */
import type { SpanContext } from "@opentelemetry/api";

export function traceParentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Undefined for text in another form, which anybody may write into an annotation. */
export function parseTraceParent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // all zeros stand for "none" in both ids
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
