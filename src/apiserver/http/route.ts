/**
 * Takes an exchange; gives the answer of its endpoint's verb, of a subresource or review, or of one of the server's own
 * documents.
 */
import { newFailure, newMethodNotSupported, newNotFound, type StatusError } from "../../api/index.js";
import type { HttpResponse } from "../../base/index.js";
import { isBuiltInGroup } from "../discovery/index.js";
import { type Endpoint, namespaced, resourceOf, subresourceOf } from "../contracts/endpoint.js";
import type { Answer } from "../contracts/answer.js";
import { textAnswer } from "./answers/answer.js";
import type { Exchange } from "./exchange.js";
import type { ResourceRequest } from "../contracts/request.js";
import { type Verb, verbs } from "./verbs.js";

/**
 * The verbs of resources and subresources other than the stored object, by `group/plural` or
 * `group/plural/subresource`; `*\/subresource` is that of every custom kind.
 */
export type OwnVerbs = ReadonlyMap<string, Verb>;

/** Answers all requests for resources of a group whose resources the registry does not know. */
export type GroupRoute = (request: {
  readonly exchange: Exchange;
  readonly info: ResourceRequest;
}) => HttpResponse | Promise<HttpResponse>;

/** A document of the server itself; undefined if the path is not one. */
export type DocumentRoute = (exchange: Exchange) => HttpResponse | Promise<HttpResponse> | undefined;

/** Answers in place of this server, if another one is responsible; undefined if none is. */
export type RemoteRoute = (exchange: Exchange) => Promise<Answer> | undefined;

export interface Routes {
  readonly remote: RemoteRoute;
  readonly ownVerbs: OwnVerbs;
  readonly documents: readonly DocumentRoute[];
  /** By group. */
  readonly groups: ReadonlyMap<string, GroupRoute>;
}

export function createRoute({ remote, ownVerbs, documents, groups }: Routes): (exchange: Exchange) => Promise<Answer> {
  return async (exchange) => {
    const { info, registry } = exchange;
    const forwarded = remote(exchange);
    if (forwarded !== undefined) {
      // the other server has seats of its own
      exchange.ready?.();
      return forwarded;
    }
    if (info.type === "other") {
      for (const document of documents) {
        const answer = document(exchange);
        if (answer !== undefined) return answer;
      }
      return unknownPath(exchange.path);
    }
    const endpoint = registry.endpoint(info.group, info.version, info.resource);
    if (endpoint === undefined) {
      const group = groups.get(info.group);
      if (group !== undefined && registry.serves(info.group, info.version)) return group({ exchange, info });
      if (!registry.serves(info.group, info.version)) return unknownPath(exchange.path);
      throw noSuchResource();
    }
    if (endpoint.deprecation !== undefined) exchange.warnings.add(endpoint.deprecation);
    return resourceRoute(endpoint, info, ownVerbs)({ exchange, endpoint, info });
  };
}

/** The answer for an unknown path: built-in groups answer for all their versions, with another error than unknown groups. */
function unknownPath(path: string): HttpResponse {
  const [root, group = "", version] = path
    .slice(1)
    .split("/")
    .filter((part, i) => part !== "" || i === 0);
  const builtIn = root === "api" ? group !== "" : root === "apis" && version !== undefined && isBuiltInGroup(group);
  if (builtIn) throw noSuchResource();
  return textAnswer(404, "404 page not found\n");
}

function resourceRoute(endpoint: Endpoint, info: ResourceRequest, ownVerbs: OwnVerbs): Verb {
  const { served } = endpoint;
  const { verb, subresource } = info;
  if (info.inNamespace ? !namespaced(endpoint) : namespaced(endpoint) && info.name !== "") throw noSuchResource();
  const sub = subresource === "" ? undefined : subresourceOf(endpoint, subresource);
  if (subresource !== "" && sub === undefined) {
    throw endpoint.custom ? newNotFound(resourceOf(endpoint), info.name) : noSuchResource();
  }
  const offered = sub === undefined ? served.verbs : sub.verbs;
  const id = `${served.group}/${served.plural}`;
  const own =
    ownVerbs.get(subresource === "" ? id : `${id}/${subresource}`) ??
    (endpoint.custom ? ownVerbs.get(`*/${subresource}`) : undefined);
  const found = own ?? verbs[verb];
  if (offered.includes(verb) && found !== undefined && isPossible(endpoint, info)) return found;
  const isNamed = verb === "watch" ? offered.includes("list") : endpoint.custom && sub !== undefined;
  throw isNamed && !offered.includes(verb) ? newMethodNotSupported(resourceOf(endpoint), verb) : notAllowed();
}

/** Verbs on objects need a name, verbs on collections none; a create of a namespaced kind needs a namespace. */
function isPossible(endpoint: Endpoint, { verb, name, subresource, inNamespace }: ResourceRequest): boolean {
  if (verb === "create") return (name === "") === (subresource === "") && (!namespaced(endpoint) || inNamespace);
  if (verb === "list" || verb === "deletecollection")
    return name === "" && (verb === "list" || !namespaced(endpoint) || inNamespace);
  return verb === "watch" || name !== "";
}

function failure(code: number, reason: "NotFound" | "MethodNotAllowed", message: string): StatusError {
  return newFailure({ message, reason, details: {}, code });
}

const noSuchResource = (): StatusError => failure(404, "NotFound", "the server could not find the requested resource");

export const notAllowed = (): StatusError =>
  failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
