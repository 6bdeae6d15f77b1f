/** Spans of reconciles, writes, requests and reviews, joined from cause to effect. */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { metaNamespaceKey } from "../api/index.js";
import { systemClock } from "../base/index.js";
import type { Client, RequestFacts } from "../client/index.js";
import type { ReconcileFacts, WriteFacts } from "../controller/index.js";
import type { ReviewFacts } from "../webhook/index.js";
import type { Reason } from "../workqueue/index.js";
import { annotating, withWrite } from "./annotate.js";
import { followSpans, type SpanMaker } from "./follow.js";
import { OwnWrites } from "./own-writes.js";
import { parseTraceParent } from "./trace-parent.js";

export interface TracingOptions {
  /** By default that of the provider which the program has registered. */
  readonly tracer?: Tracer;
}

/** Disposing ends it; spans of work in progress stay. */
export interface Tracing extends Disposable {
  /**
   * A client whose writes in a span leave it on their objects, in the annotation `tracing.k8s.io/traceparent`, so that
   * controllers in other processes continue the trace. Within one process it is not needed.
   */
  annotating(client: Client): Client;
}

/**
 * Makes spans of all controllers, clients and webhooks of this process. A reconcile continues the trace of the write
 * that caused it: its span's parent is the first cause, and further causes are links. A reconcile without a known cause
 * begins a trace. The time in the queue before it is a span of its own in it. Requests and writes outside of spans, such as those of caches and leases, make none.
 */
export function startTracing({ tracer = trace.getTracer("coxswain") }: TracingOptions = {}): Tracing {
  const writes = new OwnWrites();
  const following = [
    followSpans("coxswain:reconcile", reconcileSpans(tracer, writes)),
    followSpans("coxswain:write", writeSpans(tracer, writes)),
    followSpans("coxswain:request", requestSpans(tracer)),
    followSpans("coxswain:review", reviewSpans(tracer)),
  ];
  return {
    annotating: (client) => client.through(annotating),
    [Symbol.dispose]() {
      for (const followed of following) followed[Symbol.dispose]();
    },
  };
}

function reconcileSpans(tracer: Tracer, writes: OwnWrites): SpanMaker<ReconcileFacts> {
  const causeOf = (reason: Reason): SpanContext | undefined =>
    writes.answered(reason) ?? parseTraceParent(reason.trace ?? "") ?? writes.underWay(reason);
  return {
    begin(facts) {
      const { controller, kind, key, run, reasons, failures, waitedMs } = facts;
      const causes = reasons.map(causeOf).filter((cause) => cause !== undefined);
      const [first, ...others] = [...new Map(causes.map((cause) => [cause.spanId, cause])).values()];
      // not the active context, in which the workers were started
      const cause = first === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, first);
      // of a write past the reconciler's client nothing is known
      const parent = withWrite(cause, { changes: false, trace: undefined });
      const about: Attributes = { "coxswain.controller": controller, "coxswain.kind": kind, "coxswain.key": key };
      const attributes: Attributes = {
        ...about,
        "coxswain.run": run,
        "coxswain.failures": failures,
        "coxswain.queue.waited_ms": waitedMs,
      };
      const links = others.map((cause) => ({ context: cause }));
      const span = tracer.startSpan(`reconcile ${controller}`, { kind: SpanKind.CONSUMER, attributes, links }, parent);
      for (const reason of reasons) span.addEvent(`because ${reason.type}`, reasonAttributes(reason));
      const now = systemClock.now();
      const wait = { attributes: about, startTime: now - waitedMs };
      tracer.startSpan(`queue ${controller}`, wait, trace.setSpan(parent, span)).end(now);
      return { span, parent };
    },
    end({ result }, span) {
      if (result === undefined) return;
      span.setAttribute("coxswain.result", result.type);
      if (!("error" in result)) return;
      span.setStatus({ code: SpanStatusCode.ERROR, message: result.error });
      span.addEvent("exception", {
        "exception.message": result.error,
        "exception.stacktrace": result.stack.join("\n"),
      });
    },
  };
}

function reasonAttributes({ kind, key, revision, fields, message }: Reason): Attributes {
  const named: Attributes = {};
  if (kind !== undefined) named["coxswain.kind"] = kind;
  if (key !== undefined) named["coxswain.key"] = key;
  if (revision !== undefined) named["coxswain.revision"] = revision;
  if (fields !== undefined) named["coxswain.fields"] = [...fields];
  if (message !== undefined) named["coxswain.message"] = message;
  return named;
}

function writeSpans(tracer: Tracer, writes: OwnWrites): SpanMaker<WriteFacts> {
  return {
    begin({ controller, verb, kind, key, ...write }) {
      const attributes = { "coxswain.controller": controller, "coxswain.verb": verb, "coxswain.kind": kind };
      const options = { kind: SpanKind.PRODUCER, attributes };
      const begun = childOf((parent) => tracer.startSpan(`${verb} ${kind}`, options, parent));
      if (begun !== undefined && key !== undefined) writes.begin({ kind, key }, begun.span.spanContext());
      return begun && { span: begun.span, parent: withWrite(begun.parent, write) };
    },
    end({ kind, key: asked, result }, span) {
      if (asked !== undefined) writes.end({ kind, key: asked }, span.spanContext());
      if (result?.metadata?.name === undefined) return;
      const key = metaNamespaceKey({ metadata: result.metadata });
      const { resourceVersion: revision = "" } = result.metadata;
      span.setAttributes({ "coxswain.key": key, "coxswain.revision": revision });
      writes.answer({ kind, key, revision }, span.spanContext());
    },
  };
}

function requestSpans(tracer: Tracer): SpanMaker<RequestFacts> {
  return {
    begin({ method, path, title, headers }) {
      const [pathname = "", query] = path.split("?");
      const attributes: Attributes = { "http.request.method": method, "url.path": pathname, "coxswain.call": title };
      if (query !== undefined) attributes["url.query"] = query;
      const begun = childOf((parent) => tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, parent));
      if (begun !== undefined) propagation.inject(trace.setSpan(begun.parent, begun.span), headers);
      return begun;
    },
    end({ status }, span) {
      if (status !== 0) span.setAttribute("http.response.status_code", status);
    },
  };
}

function reviewSpans(tracer: Tracer): SpanMaker<ReviewFacts> {
  return {
    begin({ path, uid, headers }) {
      const parent = propagation.extract(ROOT_CONTEXT, headers);
      const attributes = { "url.path": path, "coxswain.uid": uid };
      return { span: tracer.startSpan(`review ${path}`, { kind: SpanKind.SERVER, attributes }, parent), parent };
    },
  };
}

/** A span in the active one; undefined if there is none. */
function childOf(start: (parent: Context) => Span): { readonly span: Span; readonly parent: Context } | undefined {
  const parent = context.active();
  return trace.getSpan(parent) === undefined ? undefined : { span: start(parent), parent };
}
