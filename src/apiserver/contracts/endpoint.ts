/** A resource in one version, as the pipelines need it: how it is shown, where it is stored, what its kind does differently. */
import { lookup, without } from "../../base/members.js";
import { type GroupVersionKind, type KubeObject, newBadRequest } from "../../api/index.js";
import type { Codec, Decoded } from "./codec.js";
import type { ServedResource, ServedSubresource } from "./served.js";
import type { TableRenderer } from "./table.js";
import type { Stored } from "../storage/contract.js";
import type { FieldManager } from "./field-manager.js";
import type { Strategy } from "./strategy.js";

/** An object in the two forms in which it leaves the server, both shared. */
export interface View {
  readonly object: KubeObject;
  readonly bytes: Uint8Array;
}

/** Between a served version and the one in which a kind is stored. */
export interface Conversion {
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
}

/** Where an object keeps what `scale` shows. */
export interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector?: readonly string[];
}

export interface Endpoint {
  readonly served: ServedResource;
  /** Where objects are stored; all versions of a kind share it. */
  readonly collection: string;
  readonly strategy: Strategy;
  readonly fieldManager: FieldManager;
  /** Custom kinds show kind and apiVersion in list items, speak no protobuf and know no strategic merge. */
  readonly custom: boolean;
  readonly table: TableRenderer;
  /** Reads a body that was sent to this endpoint or to one of its subresources. */
  decode(codec: Codec, bytes: Uint8Array, expected: GroupVersionKind): Decoded;
  /** After a patch of `live`: what decoding would have made of this value. What it shares with `live` need not be looked at. */
  normalize(value: KubeObject, live?: KubeObject): Decoded;
  /** What is stored, in this endpoint's version. */
  view(stored: Stored): View;
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
  /** Set on an endpoint that must not take creates for now, e.g. a custom kind that is being deleted. */
  readonly terminating?: boolean;
  /** Absent: as all built-in workloads have it. */
  readonly scale?: ScalePaths;
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
  endpoints: "services/endpoints",
});

/** The key as error messages name it, after the layout of a real server's store. */
export function registryKey({ served, custom }: Endpoint, namespace: string, name: string): string {
  const { group, plural } = served;
  const home = custom ? `${group}/${plural}` : group === "" ? (registryNames[plural] ?? plural) : plural;
  return `/registry/${home}/${storageKey(namespace, name)}`;
}

/** An object with the namespace of the path that it was sent to: "" in cluster scope, where it has none. Another one is refused. */
export function inNamespaceOf(object: KubeObject, namespace: string): KubeObject {
  const { metadata } = object;
  if ((metadata.namespace ?? "") === namespace) return object;
  if (namespace === "") return { ...object, metadata: without(metadata, "namespace") };
  if (metadata.namespace) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { ...object, metadata: { ...metadata, namespace } };
}

/** The group as Go's packages are named. */
export const internalName = (group: string): string => (group === "" ? "core" : (group.split(".")[0] as string));

export const namespaced = (endpoint: Endpoint): boolean => endpoint.served.scope === "Namespaced";

export const resourceOf = ({ served }: Endpoint): { readonly group: string; readonly resource: string } => ({
  group: served.group,
  resource: served.plural,
});
