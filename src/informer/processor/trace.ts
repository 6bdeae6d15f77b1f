/** The place at which a tracer follows events on their way to handlers. */
import { type KubeObject, metaNamespaceKey } from "../../api/index.js";
import { TracePoint } from "../../base/trace/points.js";
import type { ObjectChange } from "./handlers.js";

/** The call of a handler with one change. */
export interface EventFacts {
  readonly handler: string;
  readonly type: ObjectChange<KubeObject>["type"];
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
}

/** `coxswain:event`. */
export const eventPoint: TracePoint<EventFacts> = new TracePoint("coxswain:event");

export function eventFacts(handler: string, { type, object }: ObjectChange<unknown>): EventFacts {
  const { kind, metadata } = object as KubeObject;
  return { handler, type, kind, key: metaNamespaceKey(object as KubeObject), revision: metadata.resourceVersion ?? "" };
}
