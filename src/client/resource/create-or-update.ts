/** Creates or updates an object. */
import { defined } from "../../base/defined.js";
import { semanticEqual } from "../../api/compare/semantic-equal.js";
import type { Draft, KubeObject } from "../../api/object.js";
import type { GetOptions, NameOrMetadata, WriteOptions } from "../request/options.js";

export interface Ensured<T> {
  readonly object: T;
  readonly operation: "created" | "updated" | "unchanged";
}

/** The part of a resource client that is needed. */
export interface Ensuring<T extends KubeObject> {
  getOrUndefined(name: NameOrMetadata, options?: GetOptions): Promise<T | undefined>;
  create(object: Draft<T>, options?: WriteOptions): Promise<T>;
  update(object: T, options?: WriteOptions): Promise<T>;
}

export interface EnsureRequest<T extends KubeObject> {
  readonly name: NameOrMetadata;
  /** Takes the present object and returns the wanted one; must keep the fields that it does not mean to change. */
  change(current: T | undefined): Draft<T>;
  readonly options: WriteOptions;
}

/** The update carries the resourceVersion that was read, so that a concurrent change causes a conflict and is not lost. */
export async function createOrUpdate<T extends KubeObject>(
  resource: Ensuring<T>,
  { name, change, options }: EnsureRequest<T>,
): Promise<Ensured<T>> {
  const { signal } = options;
  const current = await resource.getOrUndefined(name, defined({ signal }));
  const wanted = change(current);
  if (current === undefined) {
    const metadata = { ...(typeof name === "string" ? { name } : placeOf(name)), ...wanted.metadata };
    return { object: await resource.create({ ...wanted, metadata }, options), operation: "created" };
  }
  const { kind, apiVersion, metadata } = current;
  const { resourceVersion } = metadata;
  const next = {
    ...wanted,
    kind,
    apiVersion,
    metadata: {
      ...wanted.metadata,
      ...placeOf(metadata),
      ...defined({ resourceVersion }),
    },
  } as unknown as T;
  if (semanticEqual(next, current)) return { object: current, operation: "unchanged" };
  return { object: await resource.update(next, options), operation: "updated" };
}

function placeOf({ name, namespace }: { readonly name: string; readonly namespace?: string }): {
  readonly name: string;
  readonly namespace?: string;
} {
  return namespace === undefined ? { name } : { name, namespace };
}
