/** Makes descriptors: `defineResource<Foo>({ ... })` is all that a client, an informer or a controller must know of a kind. */
import type { KubeObject } from "./object.js";
import type { ResourceType, Scope } from "./resource-type.js";

/** What one must say of a kind; the rest follows Kubernetes' habits unless it is given. */
export interface ResourceOptions {
  /** `""` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As in the URL, e.g. `foos`. */
  readonly plural: string;
  readonly scope: Scope;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly string[];
}

export function defineResource<T extends KubeObject>(options: ResourceOptions): ResourceType<T> {
  return Object.freeze({
    group: options.group,
    version: options.version,
    kind: options.kind,
    plural: options.plural,
    singular: options.singular ?? options.kind.toLowerCase(),
    listKind: options.listKind ?? `${options.kind}List`,
    scope: options.scope,
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    subresources: options.subresources ?? [],
  });
}
