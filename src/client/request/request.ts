/** Builds the HTTP request of a verb on a resource. Pure. */
import type { HttpHeaders, HttpRequest } from "../../base/index.js";
import { apiVersionOf, groupResourceName, type ResourceType } from "../../api/resource-type.js";
import type { Patch, SelectorText } from "./options.js";
import { bodyBytes } from "./body.js";

export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection"
  | "connect";

/** The target of a request: a collection, an object in it, or a subresource of that object. */
export interface RequestTarget {
  readonly type: Pick<ResourceType, "group" | "version" | "kind" | "plural" | "scope">;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Undefined parameters are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiCall extends RequestTarget {
  readonly verb: Verb;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** Overrides the verb's content type. */
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

/** A request, with its name for error messages. */
export interface BuiltRequest {
  readonly request: HttpRequest;
  /** `get pods default/web`. */
  readonly title: string;
  /** Absent for a path that is no resource. */
  readonly target?: RequestTarget & { readonly verb: Verb };
}

const methods: Readonly<Record<Verb, string>> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  apply: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
  connect: "GET",
};

const jsonMediaType = "application/json";

/**
 * Headers by accepted and sent media type: one object for all like requests, so that code that adds headers can
 * remember the result.
 */
const sharedHeaders = new Map<string, HttpHeaders>();

function headersOf(accept: string, contentType?: string): HttpHeaders {
  const key = `${accept}\n${contentType ?? ""}`;
  let headers = sharedHeaders.get(key);
  if (headers === undefined) {
    headers = contentType === undefined ? { accept } : { accept, "content-type": contentType };
    sharedHeaders.set(key, headers);
  }
  return headers;
}

export function buildRequest(operation: ApiCall): BuiltRequest {
  const { verb, body } = operation;
  const path = pathOf(operation) + queryText(operation.query);
  const title = titleOf(operation);
  const accept = operation.accept ?? jsonMediaType;
  if (body === undefined) {
    return { request: { method: methods[verb], path, headers: headersOf(accept) }, title, target: operation };
  }
  const bytes = bodyBytes(body, title);
  const headers = headersOf(accept, operation.contentType ?? jsonMediaType);
  return { request: { method: methods[verb], path, headers, body: bytes }, title, target: operation };
}

export function titleOf({ verb, type, namespace, name, subresource }: ApiCall): string {
  const resource = groupResourceName({ group: type.group, resource: type.plural });
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  if (name !== undefined) return `${verb} ${what} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  return namespace === undefined ? `${verb} ${what}` : `${verb} ${what} in ${namespace}`;
}

/** `/apis/apps/v1/namespaces/default/deployments/web/status`. Refuses names that would address another path. */
export function pathOf(target: RequestTarget): string {
  const { type, namespace, name, subresource } = target;
  let path = `${groupPath(type)}`;
  if (namespace !== undefined) {
    if (type.scope === "Cluster") throw new TypeError(`${type.kind} is cluster-scoped: it takes no namespace`);
    path += `/namespaces/${segment(namespace, "namespace", type.kind)}`;
  } else if (name !== undefined && type.scope === "Namespaced") {
    throw new TypeError(
      `${type.kind} "${name}" needs a namespace: say resource(${type.kind}, { namespace }) or pass { namespace, name }`,
    );
  }
  path += `/${type.plural}`;
  if (name !== undefined) path += `/${segment(name, "name", type.kind)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}

/** `/api/v1`, or `/apis/apps/v1`. */
function groupPath(type: { readonly group: string; readonly version: string }): string {
  return type.group === "" ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
}

function segment(value: string, what: string, kind: string): string {
  if (value === "") throw new TypeError(`the ${what} of a ${kind} may not be empty`);
  if (value === "." || value === ".." || value.includes("/") || value.includes("%")) {
    throw new TypeError(`the ${what} of a ${kind} may not be "${value}": it would address something else`);
  }
  return encodeURIComponent(value);
}

export function queryText(query: Query | undefined): string {
  if (query === undefined) return "";
  let text = "";
  for (const key in query) {
    const value = query[key];
    if (value === undefined) continue;
    text += `${text === "" ? "?" : "&"}${key}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** Labels or fields that must be equal are joined into a selector; text is taken as it is. */
export function selectorText(selector: SelectorText | undefined): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector === "" ? undefined : selector;
  const pairs = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? undefined : pairs.join(",");
}

export const applyContentType = "application/apply-patch+yaml";

export function patchBody(patch: Patch<unknown>): { readonly contentType: string; readonly body: unknown } {
  if ("merge" in patch) return { contentType: "application/merge-patch+json", body: patch.merge };
  if ("json" in patch) return { contentType: "application/json-patch+json", body: patch.json };
  return { contentType: "application/strategic-merge-patch+json", body: patch.strategic };
}
