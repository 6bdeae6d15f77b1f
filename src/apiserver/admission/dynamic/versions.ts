/** Objects in the version in which a hook wants to see them, and back again. Between the stored form and webhooks and policies. */
import type { KubeObject } from "../../../api/index.js";
import type { Endpoint } from "../../registry/endpoint.js";
import { scaleOf } from "../../special/scale.js";
import type { Match } from "./matching.js";

/** Undefined stays undefined: there is no object in a deletion, and no old one in a creation. */
export function shown({ endpoint, kind }: Match, stored: KubeObject | undefined): KubeObject | undefined {
  if (stored === undefined) return undefined;
  const object = endpoint.fromStorage(stored);
  return kind.kind === "Scale" ? scaleOf(endpoint, object) : object;
}

/** What hooks make of an object is read as if a client had sent it, but they do not come to own what they change. */
export function stored(endpoint: Endpoint, changed: KubeObject, before: KubeObject): KubeObject {
  const { object } = endpoint.normalize(changed);
  const kept = endpoint.toStorage(object);
  const defaulted = endpoint.strategy.setDefaults?.(kept) ?? kept;
  const { managedFields: _, ...metadata } = defaulted.metadata;
  const { managedFields } = before.metadata;
  return { ...defaulted, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}
