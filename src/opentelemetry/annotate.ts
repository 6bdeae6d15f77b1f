/** A transport that leaves the trace of a write on the object that it writes. */
import { type Context, context, createContextKey, isSpanContextValid, trace } from "@opentelemetry/api";
import { isRecord } from "../base/members.js";
import type { HttpRequest, Transport } from "../base/index.js";
import { traceAnnotation } from "../controller/index.js";
import { traceParentOf } from "./trace-parent.js";

/** A collection, or an object in it, but no subresource: writes of those cannot change annotations. */
const target = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/?]+)(?:\/[^/?]+)?(?:\?|$)/;

/** Kinds whose objects no controller reconciles. */
const untraced: ReadonlySet<string> = new Set(["events", "leases"]);

/** Whether a write of a reconcile changes its object, and the trace that the object has. */
interface KnownWrite {
  readonly changes: boolean;
  readonly trace: string | undefined;
}

const knownWrite = createContextKey("coxswain: write");

/**
 * In this context a write leaves its own trace if it changes the object, and otherwise the one that is there: a mark on a
 * write without effect would be an effect, wake the controllers that wrote it, and so make marks without an end.
 */
export const withWrite = (parent: Context, { changes, trace: left }: KnownWrite): Context =>
  parent.setValue(knownWrite, { changes, trace: left } satisfies KnownWrite);

export function annotating(transport: Transport): Transport {
  return (request, signal) => transport(annotated(request), signal);
}

function annotated(request: HttpRequest): HttpRequest {
  const span = trace.getSpanContext(context.active());
  // without an SDK, spans have no identity
  if (span === undefined || !isSpanContextValid(span)) return request;
  const write = context.active().getValue(knownWrite) as KnownWrite | undefined;
  const isNew = write === undefined || write.changes || request.method === "POST";
  const left = isNew ? traceParentOf(span) : write.trace;
  if (left === undefined) return request;
  const [, resource] = target.exec(request.path) ?? [];
  if (resource === undefined || untraced.has(resource) || !isWhole(request)) return request;
  const { body } = request;
  if (body === undefined) return request;
  const object: unknown = JSON.parse(Buffer.from(body).toString());
  if (!isRecord(object)) return request;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const annotations = isRecord(metadata["annotations"]) ? metadata["annotations"] : {};
  const traced = { ...metadata, annotations: { ...annotations, [traceAnnotation]: left } };
  return { ...request, body: Buffer.from(JSON.stringify({ ...object, metadata: traced })) };
}

/**
 * True if the body is an object to which an annotation can be added without a dispute: an apply that does not force its
 * fields would conflict with the last writer's trace.
 */
function isWhole({ method, path, headers }: HttpRequest): boolean {
  if (method === "POST" || method === "PUT") return true;
  if (method !== "PATCH") return false;
  const type = String(headers["content-type"] ?? "");
  if (type.startsWith("application/apply-patch")) return /[?&]force=true(?:&|$)/.test(path);
  return type.startsWith("application/merge-patch") || type.startsWith("application/strategic-merge-patch");
}
