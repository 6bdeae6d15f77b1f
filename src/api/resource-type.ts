/** Resource descriptors: the facts that a client needs to know of a kind, as a value that carries the kind's type. */
import { shown } from "../base/options/options.js";
import type { KubeObject } from "./object.js";

export type Scope = "Namespaced" | "Cluster";

export interface GroupResource {
  readonly group: string;
  /** The plural, e.g. `pods`. */
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupVersionKind extends GroupKind {
  readonly version: string;
}

export interface GroupVersionResource extends GroupResource {
  readonly version: string;
}

/** A resource in one version: its names and its scope. The same type serves clients, discovery and the server. */
export interface ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** The names that must be given for a resource; the optional ones have defaults. */
export interface GivenNames extends Partial<ResourceNames> {
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
}

export function namesOf(given: GivenNames): ResourceNames {
  const { group, version, kind, plural, scope, shortNames = [], categories = [] } = given;
  const { singular = kind.toLowerCase(), listKind = `${kind}List` } = given;
  return { group, version, kind, plural, singular, listKind, scope, shortNames, categories };
}

declare const objectType: unique symbol;

/**
 * A kind as a value. `T` is the type of its objects, so that `client.resource(Pod)` and `factory.informer(Pod)` are
 * typed without generated clients. Descriptors are plain frozen data and are compared by group, version and plural,
 * never by identity.
 */
export interface ResourceType<T extends KubeObject = KubeObject> extends ResourceNames {
  /** Names of the subresources, e.g. `status`, `scale`. */
  readonly subresources: readonly string[];
  readonly [objectType]?: T;
}

/** The object type of a descriptor: `ObjectOf<typeof Pod>` is `Pod`. */
export type ObjectOf<R> = R extends ResourceType<infer T> ? T : never;

/** Throws if the value is no kind, but for example its name, `"Pod"`. `where` names the function that was given it. */
export function checkResourceType(where: string, value: unknown): asserts value is ResourceType {
  const { group, version, kind, plural, scope } = Object(value) as Partial<ResourceType>;
  const texts = [group, version, kind, plural, scope];
  if (texts.every((text) => typeof text === "string")) return;
  throw new TypeError(
    `${where}: ${shown(value)} is no kind; import one from coxswain/api (Pod, Deployment) or make one by defineResource`,
  );
}

/** `v1`, or `apps/v1`. */
export function apiVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

/** Splits `apps/v1` or `v1`; more than one slash is an error. */
export function parseGroupVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const parts = apiVersion.split("/");
  if (parts.length === 1) return { group: "", version: parts[0] as string };
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string };
  throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
}

/** `deployments.apps`, or `pods` in the core group: the way error messages name a resource. */
export function groupResourceName({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** The identity of a descriptor: `apps/v1/deployments`. */
export function resourceKey(type: {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}): string {
  return `${apiVersionOf(type)}/${type.plural}`;
}
