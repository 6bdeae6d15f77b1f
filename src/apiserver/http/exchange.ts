/** One request while it is being answered: its parsed parts, its user, and the warnings so far. */
import type { Readable } from "node:stream";
import { formatTime, type KubeObject, newBadRequest } from "../../api/index.js";
import { type Cooperative, type HttpRequest, inOneGo, type Logger, runWithin } from "../../base/index.js";
import type { AuditTrail } from "../audit/trail.js";
import type { UserInfo } from "../contracts/user.js";
import type { Endpoint } from "../contracts/endpoint.js";
import { appliedCborToJson, cborMediaType, protobufMediaType } from "../codec/index.js";
import type { Registry } from "../registry/registry.js";
import { patchTypeFor } from "../registry/write/patch.js";
import type { PatchType } from "../registry/write/patch-body.js";
import type { Templates } from "../registry/write/templates.js";
import { type Machinery, requestSlice, type RequestScope } from "../contracts/scope.js";
import type { Shown } from "./answers/answer.js";
import { mediaTypeOf, type Reading, readObject, type WriteOptions } from "./body.js";
import { negotiate, type Output } from "./answers/negotiate.js";
import type { Warnings } from "./answers/warnings.js";
import type { Codec } from "../contracts/codec.js";
import type { TableOptions } from "./answers/transform.js";
import type { SharedFrames } from "./answers/watch-frames.js";
import type { RequestInfo } from "../contracts/request.js";
import { after } from "../../base/time/awaitable.js";

export interface Exchange {
  readonly request: HttpRequest;
  readonly info: RequestInfo;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
  /** Identifies the request in the logs of all servers that see it. */
  readonly auditId: string;
  /** The client's address, if the request came over a network. */
  readonly from: string | undefined;
  /** Whether the connection can be handed over after an answer of 101. */
  readonly switches: boolean;
  /** The body as it comes, of a request that another server answers; `request` has none then. */
  readonly streamBody?: (() => Readable) | undefined;
  readonly machinery: Machinery;
  readonly registry: Registry;
  /** In the order in which they are offered. */
  readonly codecs: readonly Codec[];
  readonly templates: Templates;
  readonly frames: SharedFrames;
  readonly log: Logger;
  readonly warnings: Warnings;
  /** Absent if the request is not recorded. */
  readonly audit: AuditTrail | undefined;
  /** Called by a watch when its initial state has been read, or will not be. */
  ready?(): void;
}

export function header({ request }: Pick<Exchange, "request">, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : value?.join(", ");
}

/** The field manager of a client that names none: its user agent up to the first slash. */
export function managerOf(exchange: Exchange, fieldManager: string): string {
  if (fieldManager !== "") return fieldManager;
  const agent = header(exchange, "user-agent") ?? "";
  const product = agent.split("/")[0] ?? "";
  return product === "" ? "unknown" : product.slice(0, 128);
}

export function scopeOf(
  exchange: Exchange,
  options: { readonly dryRun: boolean; readonly manager: string },
): RequestScope {
  const { machinery, user, signal, warnings, audit } = exchange;
  return {
    machinery,
    user,
    signal,
    slice: requestSlice(machinery),
    ...options,
    warn: (text) => warnings.add(text),
    annotate: audit && ((key, value, level) => audit.annotate(key, value, level)),
  };
}

export function readScope(exchange: Exchange): RequestScope {
  return scopeOf(exchange, { dryRun: false, manager: "" });
}

export function writeScope(exchange: Exchange, options: WriteOptions): RequestScope {
  return scopeOf(exchange, { dryRun: options.dryRun, manager: managerOf(exchange, options.fieldManager) });
}

export function outputOf(
  exchange: Exchange,
  { custom, transforms = true, watched = false }: { custom: boolean; transforms?: boolean; watched?: boolean },
): Output {
  const served = exchange.codecs.map(({ mediaType }) => mediaType);
  const mediaTypes = custom ? served.filter((one) => one !== protobufMediaType) : served;
  const offer = { mediaTypes, served, transforms, custom, watched };
  return negotiate(header(exchange, "accept"), offer, exchange.query, header(exchange, "user-agent"));
}

export function codecOf({ codecs }: Exchange, mediaType: string): Codec | undefined {
  return codecs.find((codec) => codec.mediaType === mediaType);
}

function isInclude(text: string): text is TableOptions["includeObject"] {
  return text === "None" || text === "Metadata" || text === "Object";
}

/** `watched` is true for a collection, which can be watched at the same path. */
export function shownBy(exchange: Exchange, endpoint: Endpoint, watched = false): Shown {
  const output = outputOf(exchange, { custom: endpoint.custom, watched });
  const include = exchange.query.get("includeObject") || "Metadata";
  if (output.transform === "Table" && !isInclude(include)) {
    const why = `includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw newBadRequest(`Unable to convert to Table as requested: ${why}`);
  }
  return {
    endpoint,
    output,
    codec: codecOf(exchange, output.mediaType),
    table: {
      includeObject: isInclude(include) ? include : "Metadata",
      now: exchange.machinery.clock.now(),
      metaVersion: output.metaVersion,
    },
  };
}

/** The body as an object. A long one is read in slices, a promise then. */
export function bodyOf(
  exchange: Exchange,
  endpoint: Endpoint,
  reading: Omit<Reading, "warn">,
  slice: Cooperative = requestSlice(exchange.machinery),
): KubeObject | Promise<KubeObject> {
  const source = {
    bytes: exchange.request.body,
    contentType: header(exchange, "content-type"),
    codecs: endpoint.custom
      ? exchange.codecs.filter(({ mediaType }) => mediaType !== protobufMediaType)
      : exchange.codecs,
  };
  const { warnings, audit } = exchange;
  const object = runWithin(slice, readObject(endpoint, source, { ...reading, warn: (text) => warnings.add(text) }));
  if (audit === undefined) return object;
  return after(object, (sent) => {
    audit.sent(audit.isRecordingObjects ? completed(endpoint, sent) : sent);
    return sent;
  });
}

/** The object with its defaults, as upstream records it. */
function completed(endpoint: Endpoint, sent: KubeObject): KubeObject {
  const { setDefaults } = endpoint.strategy;
  if (sent.kind !== endpoint.served.kind || setDefaults === undefined) return sent;
  return endpoint.fromStorage(setDefaults(endpoint.toStorage(sent)));
}

/** A value that is answered and not stored, with managedFields for the fields that its sender set. */
export function ownedBy(exchange: Exchange, endpoint: Endpoint, object: KubeObject, subresource = ""): KubeObject {
  const time = formatTime(exchange.machinery.clock.now());
  const manager = managerOf(exchange, exchange.query.get("fieldManager") ?? "");
  const request = { manager, apiVersion: object.apiVersion, subresource, time };
  return inOneGo(endpoint.fieldManager.update(undefined, object, request));
}

/** The type and the bytes of a patch; throws if the endpoint does not accept the type. */
export function patchOf(exchange: Exchange, custom: boolean): { readonly type: PatchType; readonly bytes: Uint8Array } {
  const { body: bytes = new Uint8Array() } = exchange.request;
  const mediaType = contentTypeOf(exchange);
  const further = codecOf(exchange, cborMediaType) === undefined ? [] : [applyCbor];
  if (further.includes(mediaType)) return { type: "application/apply-patch+yaml", bytes: appliedCborToJson(bytes) };
  return { type: patchTypeFor(custom, mediaType, further), bytes };
}

const applyCbor = "application/apply-patch+cbor";

export function contentTypeOf(exchange: Exchange): string {
  return mediaTypeOf(header(exchange, "content-type"));
}
