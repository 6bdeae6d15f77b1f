/** Kinds in several versions: one of them is the hub, which programs work with; functions convert the others to and from it. */
import { isRecord } from "../../base/members.js";
import { shown } from "../../base/options/options.js";
import type { KubeObject, ObjectMeta } from "../object.js";
import { apiVersionOf } from "../resource-type.js";
import type { AnyVersion, CustomResourceType } from "./definition.js";

/**
 * The result of a conversion. The version, the kind and the metadata are filled in; labels and annotations may be given,
 * for facts that the other version has no field for.
 */
export type Converted<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
};

/** A version of a kind beside its hub. Each function must give back the object that the other was given. */
export interface OtherVersion<H extends KubeObject, S extends KubeObject> {
  readonly type: CustomResourceType<S>;
  readonly toHub: (object: S) => Converted<H>;
  readonly fromHub: (hub: H) => Converted<S>;
}

/** The hub, with the versions beside it. */
export interface ConvertibleType<H extends KubeObject = KubeObject> extends CustomResourceType<H> {
  readonly versions: readonly AnyVersion[];
}

/**
 * A kind in several versions. Programs see the hub alone; `crdOf` stores the hub and serves all of them, and a manager
 * converts between them.
 *
 * ```ts
 * const Foo = withVersions(FooV1, { type: FooV1alpha1, toHub: (old) => ({ … }), fromHub: (foo) => ({ … }) });
 * ```
 */
export function withVersions<H extends KubeObject, S extends readonly KubeObject[]>(
  hub: CustomResourceType<H>,
  ...others: { readonly [K in keyof S]: OtherVersion<H, S[K]> }
): ConvertibleType<H> {
  const of = `withVersions ${hub.kind}`;
  const versions = others as unknown as readonly AnyVersion[];
  if (versions.length === 0) throw new TypeError(`${of}: give at least one other version`);
  const names = new Set([hub.version]);
  for (const other of versions) {
    const { type, toHub, fromHub } = Object(other) as Partial<AnyVersion>;
    if (type?.definition === undefined || typeof toHub !== "function" || typeof fromHub !== "function")
      throw new TypeError(
        `${of}: a version is { type, toHub, fromHub }, and its type is made by a schema, not ${shown(other)}`,
      );
    const { group, kind, plural, scope, version } = type;
    if (group !== hub.group || kind !== hub.kind || plural !== hub.plural || scope !== hub.scope)
      throw new TypeError(`${of}: ${plural}.${group} is no other version of ${hub.plural}.${hub.group}`);
    if (names.has(version)) throw new TypeError(`${of}: there are two versions ${version}`);
    names.add(version);
  }
  return Object.freeze({ ...hub, versions });
}

export const isConvertible = (type: object): type is ConvertibleType => "versions" in type;

/** The object in the version. Throws if the kind has no such version, or a function gives no object. */
export function convertObject(
  { versions, ...hub }: ConvertibleType,
  object: KubeObject,
  apiVersion: string,
): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const hubVersion = apiVersionOf(hub);
  const found = (wanted: string): AnyVersion => {
    const version = versions.find(({ type }) => apiVersionOf(type) === wanted);
    if (version === undefined) throw new Error(`${hub.kind} has no version ${wanted}`);
    return version;
  };
  const asHub =
    object.apiVersion === hubVersion
      ? object
      : completed(object, found(object.apiVersion).toHub(object), { apiVersion: hubVersion, by: "toHub" });
  return apiVersion === hubVersion
    ? asHub
    : completed(asHub, found(apiVersion).fromHub(asHub), { apiVersion, by: "fromHub" });
}

function completed(
  original: KubeObject,
  result: unknown,
  { apiVersion, by }: { apiVersion: string; by: string },
): KubeObject {
  if (!isRecord(result)) throw new TypeError(`${by} must return an object, not ${shown(result)}`);
  const { kind, metadata } = original;
  const { labels, annotations } = isRecord(result["metadata"]) ? result["metadata"] : metadata;
  const { labels: _labels, annotations: _annotations, ...rest } = metadata;
  const said = Object.fromEntries(Object.entries({ labels, annotations }).filter(([, value]) => value !== undefined));
  return { ...result, apiVersion, kind, metadata: { ...rest, ...said } } as KubeObject;
}
