/**
 * A resource in one version, as the pipelines need it: its discovery entry, its place in the store, its strategy and
 * its codec functions.
 */
import type { Steps } from "../../base/index.js";
import { lookup, without } from "../../base/members.js";
import {
  type GroupVersionKind,
  type KubeObject,
  newBadRequest,
  newConflict,
  type StatusError,
} from "../../api/index.js";
import type { Codec, Decoded } from "./codec.js";
import type { ServedResource, ServedSubresource } from "./served.js";
import type { TableRenderer } from "./table.js";
import type { Stored } from "../storage/contract.js";
import type { FieldManager } from "./field-manager.js";
import type { Strategy } from "./strategy.js";

/**
 * An object in the two forms in which it leaves the server, both shared. Two reads of `object` may give two objects,
 * which say the same.
 */
export interface View {
  readonly object: KubeObject;
  readonly bytes: Uint8Array;
}

/** Converts between a served version and the version in which a kind is stored. */
export interface Conversion {
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
}

/**
 * Converts objects of a kind by asking outside of this process. The pipelines then work in the endpoint's version, and
 * convert when they read from the store and when they write to it. The methods reject with a StatusError.
 */
interface Converter {
  /** Resolves when `view` can show these stored versions, and `fromStorage` these objects of other versions. */
  load(originals: readonly (Stored | KubeObject)[], signal?: AbortSignal): Promise<void>;
  /** The object of the endpoint's version in the version that is stored. */
  save(object: KubeObject, signal: AbortSignal): Promise<KubeObject>;
  /** The object as it would be read after it had been saved. */
  rehearse(object: KubeObject, signal: AbortSignal): Promise<KubeObject>;
  /** The result of pure work in which the field manager may need objects in other versions. */
  run<T>(work: () => T, signal: AbortSignal): Promise<T>;
}

/** The paths of the fields that `scale` shows. */
export interface ScaleFields {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector?: readonly string[];
}

export interface Endpoint {
  readonly served: ServedResource;
  /** The collection in the store, which all versions of a kind share. */
  readonly collection: string;
  readonly strategy: Strategy;
  readonly fieldManager: FieldManager;
  /** The status of a new object before the first status write. Absent: it has none. */
  readonly emptyStatus?: unknown;
  /** True for a custom kind: its list items carry kind and apiVersion, and it has neither protobuf nor strategic merge. */
  readonly custom: boolean;
  readonly table: TableRenderer;
  /** Decodes a body that was sent to this endpoint or to one of its subresources. */
  decode(codec: Codec, bytes: Uint8Array, expected: GroupVersionKind): Steps<Decoded>;
  /** The form that decoding would give the result of a patch of `live`. Parts that it shares with `live` need not be examined. */
  normalize(value: KubeObject, live?: KubeObject): Steps<Decoded>;
  /** The stored object in this endpoint's version. */
  view(stored: Stored): View;
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
  /** Absent if `view`, `toStorage` and `fromStorage` are all that conversion needs. */
  readonly converter?: Converter;
  /** True on an endpoint that must not accept creates now, e.g. of a custom kind that is being deleted. */
  readonly terminating?: boolean;
  /** Absent for the paths of the built-in workloads. */
  readonly scale?: ScaleFields;
  /** A text for the Warning header of every answer. */
  readonly deprecation?: string;
}

export function subresourceOf(endpoint: Endpoint, name: string): ServedSubresource | undefined {
  return endpoint.served.subresources.find((subresource) => subresource.name === name);
}

export function kindOf({ group, version, kind }: ServedResource): GroupVersionKind {
  return { group, version, kind };
}

/** `namespace/name`, or the name alone in cluster scope. */
export function storageKey(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

const registryNames: Readonly<Record<string, string>> = lookup({
  services: "services/specs",
  nodes: "minions",
  replicationcontrollers: "controllers",
  endpoints: "services/endpoints",
  ingresses: "ingress",
  apiservices: "apiregistration.k8s.io/apiservices",
  customresourcedefinitions: "apiextensions.k8s.io/customresourcedefinitions",
});

/** The key as error messages name it, in the layout of kube-apiserver's etcd keys. */
function registryKey({ served, custom }: Endpoint, namespace: string, name: string): string {
  const { group, plural } = served;
  const home = custom ? `${group}/${plural}` : (registryNames[plural] ?? plural);
  return `/registry/${home}/${storageKey(namespace, name)}`;
}

/** The refusal of a write whose precondition does not hold; `failed` names the wanted value and the found one. */
export function preconditionFailed(
  endpoint: Endpoint,
  { namespace, name, dryRun }: { readonly namespace: string; readonly name: string; readonly dryRun: boolean },
  failed: string,
): StatusError {
  const whole = registryKey(endpoint, namespace, name);
  // in a dry run upstream fails earlier, and names the key without its prefix
  const key = dryRun ? whole.replace(/^\/registry/, "") : whole;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${failed}`;
  return newConflict(resourceOf(endpoint), name, why);
}

/**
 * The object with the namespace of the request's path ("" in cluster scope, where it has none). Another namespace in
 * the object is refused.
 */
export function inNamespaceOf(object: KubeObject, namespace: string): KubeObject {
  const { metadata } = object;
  if ((metadata.namespace ?? "") === namespace) return object;
  if (namespace === "") return { ...object, metadata: without(metadata, "namespace") };
  if (metadata.namespace) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { ...object, metadata: { ...metadata, namespace } };
}

/** The name of the group's Go package upstream. */
export const internalName = (group: string): string => (group === "" ? "core" : (group.split(".")[0] as string));

export const namespaced = (endpoint: Endpoint): boolean => endpoint.served.scope === "Namespaced";

export const resourceOf = ({ served }: Endpoint): { readonly group: string; readonly resource: string } => ({
  group: served.group,
  resource: served.plural,
});
