/** Sends the difference between two states of an object. */
import type { KubeObject } from "../../api/object.js";
import type { MergePatch } from "../../api/partial.js";
import { createMergePatch } from "../../api/patch/merge-patch.js";
import type { NameOrMetadata, Patch, PatchOptions } from "../request/options.js";

export interface PatchFromOptions extends PatchOptions {
  /** Fails with a conflict if the object is no longer the version of `old`. */
  readonly optimisticLock?: boolean;
}

/** The part of a resource client that is needed. */
export interface Patching<T> {
  patch(name: NameOrMetadata, patch: Patch<T>, options?: PatchOptions): Promise<T>;
}

export interface PatchFromRequest<T> {
  readonly old: T;
  readonly now: T;
  readonly options: PatchFromOptions;
}

/** Without a difference there is no request, and the result is `old`. Lists are replaced as a whole, as in merge patches. */
export async function patchFrom<T extends KubeObject>(
  resource: Patching<T>,
  { old, now, options: { optimisticLock = false, ...options } }: PatchFromRequest<T>,
): Promise<T> {
  const merge = createMergePatch(old, now) as Record<string, unknown> | undefined;
  if (merge === undefined || Object.keys(merge).length === 0) return old;
  if (optimisticLock) {
    const metadata = merge["metadata"] as Record<string, unknown> | undefined;
    merge["metadata"] = { ...metadata, resourceVersion: old.metadata.resourceVersion };
  }
  return resource.patch(old.metadata, { merge: merge as MergePatch<T> }, options);
}
