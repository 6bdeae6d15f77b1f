/** The subject of a request, read from its method, path and query: a resource, or any other path. */

import type { FieldSelector } from "../../api/index.js";

export interface ResourceRequest {
  readonly type: "resource";
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** "" for cluster scope or all namespaces. */
  readonly namespace: string;
  /** The path named a namespace. */
  readonly inNamespace: boolean;
  readonly resource: string;
  /** "" for the collection. */
  readonly name: string;
  readonly subresource: string;
  /** The selector of a list, watch or deletion of a collection, for authorizers that heed it. */
  readonly fields?: FieldSelector;
  /** The label selector of such a request, as text. */
  readonly labels?: string;
  /** The path segments behind a subresource such as proxy. */
  readonly rest: readonly string[];
}

export interface OtherRequest {
  readonly type: "other";
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | OtherRequest;

/** The verbs that change nothing. */
export const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);
