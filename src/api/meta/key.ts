/** Keys: how caches and queues name an object, `namespace/name` or `name`. */
import { goQuote } from "../go-quote.js";
import { compareText } from "../../base/members.js";

/** The two parts of a key. Cluster-wide objects have the namespace `""`. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

interface Named {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** The key of an object. */
export function metaNamespaceKey({ metadata: { namespace, name = "" } }: Named): string {
  return namespace === undefined || namespace === "" ? name : flat(`${namespace}/${name}`);
}

/** The key of a name; the inverse of `splitMetaNamespaceKey`. */
export function objectKey({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined || namespace === "" ? name : flat(`${namespace}/${name}`);
}

/**
 * V8 keeps a joined string as a tree of its parts, and a Map compares such a tree slowly at every lookup. Reading a
 * character flattens it; the comparison keeps the read from being optimised away.
 */
function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? text.slice() : text;
}

/** The namespace and name of an object, to be kept when the object itself is not. */
export function objectName({ metadata: { namespace = "", name = "" } }: Named): ObjectName {
  return { namespace, name };
}

/** Splits a key; more than one slash is an error. */
export function splitMetaNamespaceKey(key: string): ObjectName {
  const slash = key.indexOf("/");
  if (slash === -1) return { namespace: "", name: key };
  if (key.includes("/", slash + 1)) throw new Error(`unexpected key format: ${goQuote(key)}`);
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The order of objects of one namespace by their names. */
export const byName = (a: { readonly metadata: { readonly name: string } }, b: typeof a): number =>
  compareText(a.metadata.name, b.metadata.name);
