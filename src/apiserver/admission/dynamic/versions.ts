/** Converts objects from the stored form to the version in which a hook sees them, and back. */
import type { KubeObject } from "../../../api/index.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import { scaleOf } from "../../registry/scale.js";
import type { Match } from "./matching.js";

/** Undefined stays undefined: a deletion has no new object, and a creation no old one. */
export function shown({ endpoint, kind }: Match, stored: KubeObject | undefined): KubeObject | undefined {
  if (stored === undefined) return undefined;
  const object = endpoint.fromStorage(stored);
  return kind.kind === "Scale" ? scaleOf(endpoint, object) : object;
}

/** A hook's changes are read as if a client had sent them, but do not make the hook an owner of fields. */
export function stored(endpoint: Endpoint, changed: KubeObject, before: KubeObject): KubeObject {
  const { object } = endpoint.normalize(changed);
  const kept = endpoint.toStorage(object);
  const defaulted = endpoint.strategy.setDefaults?.(kept) ?? kept;
  const { managedFields: _, ...metadata } = defaulted.metadata;
  const { managedFields } = before.metadata;
  return { ...defaulted, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}
