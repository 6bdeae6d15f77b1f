/** Makes one span of each piece of work that a tracing channel publishes. */
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { type Context, context, type Span, SpanStatusCode, trace } from "@opentelemetry/api";

export interface SpanMaker<Facts extends object> {
  /** Undefined if the work is not worth a span. */
  begin(facts: Facts): { readonly span: Span; readonly parent: Context } | undefined;
  /** Called before the span ends, with the result or the error among the facts. */
  end?(facts: Facts, span: Span): void;
}

/** Lets a channel run its work in OpenTelemetry's active context, so that spans of users' code become children. */
class ActiveContext extends AsyncLocalStorage<Context> {
  override run<R>(store: Context, callback: () => R): R;
  override run<R, Args extends unknown[]>(store: Context, callback: (...args: Args) => R, ...args: Args): R;
  override run<R, Args extends unknown[]>(store: Context, callback: (...args: Args) => R, ...args: Args): R {
    return context.with(store, () => callback(...args));
  }
}

/** Follows the channel until it is disposed; work in progress then keeps its span. */
export function followSpans<Facts extends object>(name: string, maker: SpanMaker<Facts>): Disposable {
  const spans = new WeakMap<object, Span>();
  const channels = tracingChannel<Context, Facts>(name);
  const active = new ActiveContext();
  const begin = (facts: Facts): Context => {
    const begun = maker.begin(facts);
    if (begun === undefined) return context.active();
    spans.set(facts, begun.span);
    return trace.setSpan(begun.parent, begun.span);
  };
  const finish = (facts: Facts): void => {
    const span = spans.get(facts);
    if (span === undefined) return;
    spans.delete(facts);
    maker.end?.(facts, span);
    if ("error" in facts) fail(span, facts.error);
    span.end();
  };
  channels.start.bindStore(active, begin);
  const listeners = {
    start: () => {},
    // work that threw before its first await has no asynchronous end
    end: (facts: Facts) => ("error" in facts ? finish(facts) : undefined),
    asyncStart: () => {},
    asyncEnd: finish,
    error: () => {},
  };
  channels.subscribe(listeners);
  return {
    [Symbol.dispose]() {
      channels.start.unbindStore(active);
      channels.unsubscribe(listeners);
    },
  };
}

function fail(span: Span, error: unknown): void {
  const exception = error instanceof Error ? error : new Error(String(error));
  span.recordException(exception);
  span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message });
}
