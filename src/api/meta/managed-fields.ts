/** The owners of an object's fields, as a part that is left out or taken from another object. */
import type { KubeObject } from "../object.js";

/** Drops managed fields, which reconcilers do not read. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with the managed fields of another one, or with none if that has none. */
export function withManagedFieldsOf(object: KubeObject, other: KubeObject): KubeObject {
  const { managedFields } = other.metadata;
  if (managedFields === undefined) return withoutManagedFields(object);
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, managedFields } };
}
