/** Turns a request into the key that a controller queues. */
import { objectKey, type ResourceType } from "../../api/index.js";
import { shown } from "../../base/index.js";
import type { Request } from "../reconcile.js";

/**
 * Throws if the request names no object of the kind: its key would silently find nothing in the cache. Kinds without
 * namespaces ignore the namespace, so that the metadata of any object will do.
 */
export function requestKey({ kind, scope }: Pick<ResourceType, "kind" | "scope">, request: Request): string {
  const { namespace, name } = Object(request) as { readonly [Name in keyof Request]: unknown };
  if (typeof name !== "string" || name === "" || name.includes("/"))
    throw new TypeError(`${shown(request)} is no request: it reads { namespace, name }`);
  if (scope === "Cluster") return name;
  if (typeof namespace !== "string" || namespace === "" || namespace.includes("/"))
    throw new TypeError(`${shown(request)} is no request for a ${kind}, which is in a namespace: { namespace, name }`);
  return objectKey({ namespace, name });
}

/** The keys of all requests that an author's function returned, without duplicates. `where` names the function. */
export function requestKeys(type: ResourceType, requests: Iterable<Request>, where: string): ReadonlySet<string> {
  if (typeof requests !== "object" || !(Symbol.iterator in Object(requests))) {
    const hint = requests instanceof Promise ? "; it cannot wait: read from the cache that it is given" : "";
    throw new TypeError(`${where} must return requests, as in [{ namespace, name }], not ${shown(requests)}${hint}`);
  }
  return new Set(Array.from(requests, (request) => requestKey(type, request)));
}
