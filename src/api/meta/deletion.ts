/** The deletion of an object, which finalizers and a grace period make last. */

/** True if the object is being deleted, and stays until its finalizers are gone. */
export function isDeleting(object: {
  readonly metadata: { readonly deletionTimestamp?: string | undefined };
}): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
