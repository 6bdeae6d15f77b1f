/** A transport that leaves the trace of a write on the object that it writes. */
import { context, isSpanContextValid, trace } from "@opentelemetry/api";
import { isRecord } from "../base/members.js";
import type { HttpRequest, Transport } from "../base/index.js";
import { traceAnnotation } from "../controller/index.js";
import { traceParentOf } from "./trace-parent.js";

/** A collection, or an object in it, but no subresource: writes of those cannot change annotations. */
const target = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/?]+)(?:\/[^/?]+)?(?:\?|$)/;

/** Kinds whose objects no controller reconciles. */
const untraced: ReadonlySet<string> = new Set(["events", "leases"]);

export function annotating(transport: Transport): Transport {
  return (request, signal) => transport(annotated(request), signal);
}

function annotated(request: HttpRequest): HttpRequest {
  const span = trace.getSpanContext(context.active());
  // without an SDK, spans have no identity
  if (span === undefined || !isSpanContextValid(span)) return request;
  const [, resource] = target.exec(request.path) ?? [];
  if (resource === undefined || untraced.has(resource) || !isWhole(request)) return request;
  const { body } = request;
  if (body === undefined) return request;
  const object: unknown = JSON.parse(Buffer.from(body).toString());
  if (!isRecord(object)) return request;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const annotations = isRecord(metadata["annotations"]) ? metadata["annotations"] : {};
  const traced = { ...metadata, annotations: { ...annotations, [traceAnnotation]: traceParentOf(span) } };
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
