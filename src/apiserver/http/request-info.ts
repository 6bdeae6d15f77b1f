/** Takes the method, path and query of a request; gives the resource or other path that it is about. */
import { lookup } from "../../base/members.js";
import type { OtherRequest, RequestInfo, ResourceRequest } from "../contracts/request.js";
import { parseQueryBool } from "../registry/write/delete-options.js";

const verbs: Readonly<Record<string, string>> = lookup({
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
});

/** Subresources of a namespace itself; any other segment after its name is a resource in it. */
const ofNamespace = new Set(["status", "finalize"]);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = segments(path);
  const other: OtherRequest = { type: "other", verb: method.toLowerCase(), path };
  if (parts === undefined || (parts[0] !== "api" && parts[0] !== "apis")) return other;
  const core = parts[0] === "api";
  const [group, version] = core ? ["", parts[1]] : [parts[1], parts[2]];
  let rest = parts.slice(core ? 2 : 3);
  if (group === undefined || version === undefined || rest.length === 0) return other;
  let verb = verbs[method] ?? "";
  if (rest[0] === "watch" && rest.length > 1) {
    verb = "watch";
    rest = rest.slice(1);
  }
  return resourceRequest({ group, version, verb, rest }, query);
}

interface Parts {
  readonly group: string;
  readonly version: string;
  readonly verb: string;
  readonly rest: readonly string[];
}

function resourceRequest({ group, version, verb, rest }: Parts, query: URLSearchParams): ResourceRequest {
  let namespace = "";
  let tail = rest;
  const inNamespace = rest[0] === "namespaces" && rest.length > 1;
  if (inNamespace) {
    namespace = rest[1] as string;
    if (rest.length > 2 && !(group === "" && ofNamespace.has(rest[2] as string))) tail = rest.slice(2);
  }
  const [resource = "", name = "", subresource = "", ...more] = tail;
  const ofItself = inNamespace && tail === rest;
  return {
    type: "resource",
    verb: verbOf(verb, name, query),
    group,
    version,
    namespace: ofItself ? "" : namespace,
    inNamespace: inNamespace && !ofItself,
    resource,
    name,
    subresource,
    rest: more,
  };
}

function verbOf(verb: string, name: string, query: URLSearchParams): string {
  if (name !== "") return verb;
  if (verb === "get" && parseQueryBool(query.get("watch"))) return "watch";
  if (verb === "get") return "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/** Undefined for a path that cannot be decoded, or has an empty segment before its last one. */
export function segments(path: string): readonly string[] | undefined {
  const parts = path.slice(1).split("/");
  while (parts.at(-1) === "") parts.pop();
  if (parts.includes("")) return undefined;
  if (!path.includes("%")) return parts;
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined;
  }
}

export function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf("?");
  if (mark === -1) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}
