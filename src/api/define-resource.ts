/** Makes descriptors: `defineResource<Foo>({ ... })` is all that a client, an informer or a controller must know of a kind. */
import {
  type CustomObject,
  type CustomResourceOptions,
  customResourceType,
  type CustomResourceType,
} from "./custom/definition.js";
import type { CheckedSchema } from "./custom/schema.js";
import type { DeepReadonly, KubeObject } from "./object.js";
import { type GivenNames, namesOf, type ResourceType } from "./resource-type.js";

/** Objects are shared: whatever the author's type says, what caches and clients give is readonly all the way down. */
type ReadonlyObject<T extends KubeObject> = DeepReadonly<T> extends infer R extends KubeObject ? R : T;

/** What one must say of a kind; the rest follows Kubernetes' habits unless it is given. */
export interface ResourceOptions extends GivenNames {
  readonly subresources?: readonly string[];
}

/** Takes a call only if its type argument is written out. */
type IfTyped<T, Options> = [T] extends [never] ? never : Options;

/** A kind by its type: `defineResource<Foo>({ … })`. */
export function defineResource<T extends KubeObject = KubeObject>(
  options: ResourceOptions & { readonly schema?: never },
): ResourceType<ReadonlyObject<T>>;
/** A kind by its schema, whose type is written by hand all the same. */
export function defineResource<T extends KubeObject = never>(
  options: IfTyped<T, CustomResourceOptions>,
): CustomResourceType<ReadonlyObject<T>>;
/**
 * A kind by its schema: the literal gives the TypeScript type, the descriptor, and with `crdOf` the definition.
 *
 * ```ts
 * const Foo = defineResource({ group: "example.com", version: "v1", kind: "Foo", plural: "foos", scope: "Namespaced",
 *   schema: { type: "object", required: ["spec"], properties: { spec: { … } } } });
 * type Foo = ObjectOf<typeof Foo>;
 * ```
 */
// the last of these, because the compiler tells of a mistake in the words of the last
export function defineResource<const O extends CustomResourceOptions>(
  options: O & { readonly schema: CheckedSchema<O["schema"]> },
): CustomResourceType<CustomObject<O>>;
export function defineResource(options: ResourceOptions | CustomResourceOptions): ResourceType {
  if ("schema" in options) return customResourceType(options);
  return Object.freeze({ ...namesOf(options), subresources: options.subresources ?? [] });
}
