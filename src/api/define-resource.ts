/** Makes descriptors: `defineResource<Foo>({ ... })` is all that a client, an informer or a controller must know of a kind. */
import {
  type CustomObject,
  type CustomResourceOptions,
  customResourceType,
  type CustomResourceType,
} from "./custom/definition.js";
import type { KubeObject } from "./object.js";
import { type GivenNames, namesOf, type ResourceType } from "./resource-type.js";

/** What one must say of a kind; the rest follows Kubernetes' habits unless it is given. */
export interface ResourceOptions extends GivenNames {
  readonly subresources?: readonly string[];
}

/**
 * A kind by its schema: the literal gives the TypeScript type, the descriptor, and with `crdOf` the definition.
 *
 * ```ts
 * const Foo = defineResource({ group: "example.com", version: "v1", kind: "Foo", plural: "foos", scope: "Namespaced",
 *   schema: { type: "object", required: ["spec"], properties: { spec: { … } } } });
 * type Foo = ObjectOf<typeof Foo>;
 * ```
 */
export function defineResource<const O extends CustomResourceOptions>(options: O): CustomResourceType<CustomObject<O>>;
/** A kind by its schema, whose type is written by hand all the same. */
export function defineResource<T extends KubeObject>(options: CustomResourceOptions): CustomResourceType<T>;
/** A kind by its type: `defineResource<Foo>({ … })`. */
export function defineResource<T extends KubeObject>(options: ResourceOptions): ResourceType<T>;
export function defineResource(options: ResourceOptions | CustomResourceOptions): ResourceType {
  if ("schema" in options) return customResourceType(options);
  return Object.freeze({ ...namesOf(options), subresources: options.subresources ?? [] });
}
