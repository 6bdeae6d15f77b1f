/** The verbs on objects and collections: from an exchange through the registry's pipelines to an answer. */
import { defined } from "../../base/defined.js";
import { lookup } from "../../base/members.js";
import {
  type GroupVersionKind,
  isNotFound,
  type KubeObject,
  newBadRequest,
  StatusError,
  unless,
} from "../../api/index.js";
import { type HttpResponse, inOneGo } from "../../base/index.js";
import { type Endpoint, kindOf, subresourceOf } from "../contracts/endpoint.js";
import { getObject, listObjects } from "../registry/read/list.js";
import { listOptions } from "../registry/read/list-options.js";
import { watchObjects } from "../registry/read/watch.js";
import { createObject } from "../registry/write/create.js";
import { deleteObject, warnOfOrphans } from "../registry/write/delete.js";
import { checkDeleteOptions, type DeleteOptions, deleteOptionsFromQuery } from "../registry/write/delete-options.js";
import { patchObject } from "../registry/write/patch.js";
import { updateObject } from "../registry/write/update.js";
import { listAnswer, objectAnswer, valueAnswer } from "./answers/answer.js";
import { codecFor, parsePatchOptions, parseWriteOptions, placed } from "./body.js";
import {
  bodyOf,
  contentTypeOf,
  patchOf,
  type Exchange,
  managerOf,
  readScope,
  scopeOf,
  shownBy,
  writeScope,
} from "./exchange.js";
import { streamOf } from "./answers/negotiate.js";
import type { Codec } from "../contracts/codec.js";
import type { ResourceRequest } from "../contracts/request.js";
import { frameEncoder } from "./answers/watch-frames.js";

/** One verb on one endpoint. */
export interface VerbRequest {
  readonly exchange: Exchange;
  readonly endpoint: Endpoint;
  readonly info: ResourceRequest;
}

export type Verb = (operation: VerbRequest) => Promise<HttpResponse>;

export const verbs: Readonly<Record<string, Verb>> = lookup({
  get: async ({ exchange, endpoint, info: { namespace, name } }) => {
    const shown = shownBy(exchange, endpoint);
    const resourceVersion = exchange.query.get("resourceVersion") ?? "";
    const view = await getObject(endpoint, { namespace, name, resourceVersion }, readScope(exchange));
    return objectAnswer(200, view, shown);
  },

  list: async ({ exchange, endpoint, info: { namespace } }) => {
    const shown = shownBy(exchange, endpoint, true);
    const options = listOptions(exchange.query, "list");
    return listAnswer(await listObjects(endpoint, namespace, { options, scope: readScope(exchange) }), shown);
  },

  watch: async ({ exchange, endpoint, info: { namespace, name } }) => {
    const { output, codec, table } = shownBy(exchange, endpoint, true);
    const options = listOptions(exchange.query, "watch");
    const served = exchange.codecs.map(({ mediaType }) => mediaType);
    const stream = streamOf(output.mediaType, served);
    const now = (): number => exchange.machinery.clock.now();
    const encoder = frameEncoder({ frames: exchange.frames, endpoint, output, codec, table: { ...table, now } });
    const scope = readScope(exchange);
    const watch = { options, scope, encoder, ...defined({ name: name || undefined, ready: exchange.ready }) };
    const body = await watchObjects(endpoint, namespace, watch);
    return { status: 200, headers: { "content-type": stream }, body };
  },

  create: async ({ exchange, endpoint, info: { namespace } }) => {
    const shown = shownBy(exchange, endpoint);
    const options = parseWriteOptions(exchange.query, "CreateOptions");
    const scope = writeScope(exchange, options);
    const { body: bytes = new Uint8Array() } = exchange.request;
    const { manager } = scope;
    const mediaType = contentTypeOf(exchange);
    const template = exchange.templates.of({ endpoint, namespace, manager, mediaType, bytes });
    const expected = kindOf(endpoint.served);
    const reading = { expected, validation: options.fieldValidation, template };
    const sent = await bodyOf(exchange, endpoint, reading, scope.slice);
    const object = placed(sent, { namespace, name: "" });
    const view = await createObject({ endpoint, namespace, object, scope, template });
    return objectAnswer(201, view, shown);
  },

  update: async ({ exchange, endpoint, info: { namespace, name, subresource } }) => {
    const shown = shownBy(exchange, endpoint);
    const options = parseWriteOptions(exchange.query, "UpdateOptions");
    const expected =
      subresource === ""
        ? kindOf(endpoint.served)
        : (subresourceOf(endpoint, subresource)?.kind ?? kindOf(endpoint.served));
    const scope = writeScope(exchange, options);
    const sent = await bodyOf(exchange, endpoint, { expected, validation: options.fieldValidation }, scope.slice);
    const object = placed(sent, { namespace, name });
    const creates = subresource === "" && (endpoint.strategy.allowCreateOnUpdate ?? false);
    const { view, created } = await updateObject({
      endpoint,
      namespace,
      name,
      subresource,
      scope,
      missing: creates ? "create" : "refuse",
      ...defined({ uid: object.metadata.uid || undefined }),
      change: () => object,
    });
    return objectAnswer(created ? 201 : 200, view, shown);
  },

  patch: async ({ exchange, endpoint, info: { namespace, name, subresource } }) => {
    const shown = shownBy(exchange, endpoint);
    const { type, bytes } = patchOf(exchange, endpoint.custom);
    const options = parsePatchOptions(exchange.query, type);
    const scope = writeScope(exchange, options);
    const isApply = type === "application/apply-patch+yaml";
    const expected = kindOf(endpoint.served);
    exchange.audit?.patched(bytes);
    const { view, created } = await patchObject({
      endpoint,
      namespace,
      name,
      subresource,
      scope: isApply ? { ...scope, manager: options.fieldManager } : scope,
      type,
      bytes,
      force: options.force ?? false,
      kind: expected,
      strictness: options.fieldValidation,
    });
    return objectAnswer(created ? 201 : 200, view, shown);
  },

  delete: async ({ exchange, endpoint, info: { namespace, name } }) => {
    const shown = shownBy(exchange, endpoint);
    const options = deleteOptionsOf(exchange);
    const scope = scopeOf(exchange, { dryRun: (options.dryRun ?? []).length > 0, manager: managerOf(exchange, "") });
    const deleted = await deleteObject({ endpoint, namespace, name, options, scope });
    if (deleted.type === "status") return valueAnswer(200, deleted.status, shown.output, shown.codec);
    const accepted = !deleted.gone && options.orphanDependents === false;
    return objectAnswer(accepted ? 202 : 200, deleted.view, shown);
  },

  deletecollection: async ({ exchange, endpoint, info: { namespace } }) => {
    const shown = shownBy(exchange, endpoint);
    const list = listOptions(exchange.query, "list");
    const options = deleteOptionsOf(exchange);
    const dryRun = (options.dryRun ?? []).length > 0;
    const scope = scopeOf(exchange, { dryRun, manager: managerOf(exchange, "") });
    warnOfOrphans(endpoint, options, scope);
    const listed = await listObjects(endpoint, namespace, { options: list, scope });
    for (const { object } of listed.items) {
      const { name, namespace: home = "" } = object.metadata;
      await deleteObject({ endpoint, namespace: home, name, options, scope }).catch(unless(isNotFound));
      if (scope.signal.aborted) break;
    }
    return listAnswer(listed, shown);
  },
});

/** The options are in the body or, without one, in the query. */
function deleteOptionsOf(exchange: Exchange): DeleteOptions {
  const { request, query, codecs } = exchange;
  let options: DeleteOptions;
  if (request.body === undefined || request.body.length === 0) options = deleteOptionsFromQuery(query);
  else {
    const codec = codecFor(codecs, contentTypeOf(exchange));
    const expected = { group: "", version: "v1", kind: "DeleteOptions" };
    options = decodeOptions(codec, request.body, expected);
    // as upstream, which records its internal form
    exchange.audit?.sent({ ...(options as KubeObject), apiVersion: "meta.k8s.io/__internal" });
  }
  checkDeleteOptions(options);
  return options;
}

/** The only kinds that are known where options are decoded. */
const optionKinds: ReadonlySet<string> = new Set(
  ["Create", "Delete", "Get", "List", "Patch", "Update"].map((verb) => `${verb}Options`).concat("Status"),
);

/** As upstream, the error about an unreadable body does not name the expected kind. */
function decodeOptions(codec: Codec, bytes: Uint8Array, expected: GroupVersionKind): DeleteOptions {
  let object: KubeObject;
  try {
    ({ object } = inOneGo(codec.decode(bytes, expected)));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const plain = error.message
      .replace(/^the object provided is unrecognized \([^()]*\): (.*) \([^()]*\)$/s, "$1")
      .replace(/^\S* in version "[^"]*" cannot be handled as a DeleteOptions: /, "");
    const [, other = ""] = /^no kind "(\w+)" is registered for version "v1"/.exec(plain) ?? [];
    throw newBadRequest(optionKinds.has(other) ? unconvertible(other) : plain);
  }
  const { kind, apiVersion } = object;
  if (kind === expected.kind) return object as KubeObject & DeleteOptions;
  if (optionKinds.has(kind)) throw newBadRequest(unconvertible(kind));
  const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
  throw newBadRequest(`${what} in scheme "pkg/runtime/scheme.go:111"`);
}

const unconvertible = (kind: string): string => `converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`;
