/**
 * Makes resource descriptors. `defineResource<Foo>({ ... })` gives a client, an informer or a controller everything
 * that it needs to know of a kind.
 */
import {
  type CustomObject,
  type CustomResourceOptions,
  customResourceType,
  type CustomResourceType,
} from "./custom/definition.js";
import type { CheckedSchema } from "./custom/schema.js";
import type { DeepReadonly, KubeObject } from "./object.js";
import { shown } from "../base/options/options.js";
import { type GivenNames, namesOf, type ResourceType } from "./resource-type.js";
import { isDns1035Label } from "./values/names.js";

/**
 * Objects are shared, so caches and clients give them readonly all the way down, even if the author's type is mutable.
 */
type ReadonlyObject<T extends KubeObject> = DeepReadonly<T> extends infer R extends KubeObject ? R : T;

/** The facts that describe a kind. Optional ones default to Kubernetes' conventions. */
export interface ResourceOptions extends GivenNames {
  readonly subresources?: readonly string[];
}

/** Rejects a call whose type argument is not written out. */
type IfTyped<T, Options> = [T] extends [never] ? never : Options;

/** A kind by its type: `defineResource<Foo>({ … })`. */
export function defineResource<T extends KubeObject = KubeObject>(
  options: ResourceOptions & { readonly schema?: never },
): ResourceType<ReadonlyObject<T>>;
/** A kind by its schema, with a type that is written by hand all the same. */
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
// this overload stands last because the compiler words its errors by the last overload
export function defineResource<const O extends CustomResourceOptions>(
  options: O & { readonly schema: CheckedSchema<O["schema"]> },
): CustomResourceType<CustomObject<O>>;
export function defineResource(options: ResourceOptions | CustomResourceOptions): ResourceType {
  const { kind, plural, scope } = options;
  for (const name of ["group", "version", "kind", "plural"] as const)
    if (typeof options[name] !== "string")
      throw new TypeError(`defineResource ${kind}: ${name} must be a text, not ${shown(options[name])}`);
  if (scope !== "Namespaced" && scope !== "Cluster")
    throw new TypeError(`defineResource ${kind}: scope must be Namespaced or Cluster, not ${shown(scope)}`);
  const complaints = isDns1035Label(plural);
  if (complaints.length > 0)
    throw new TypeError(`defineResource ${kind}: plural ${shown(plural)}: ${complaints.join("; ")}`);
  if ("schema" in options) return customResourceType(options);
  return Object.freeze({ ...namesOf(options), subresources: options.subresources ?? [] });
}
