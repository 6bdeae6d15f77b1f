/** The server's documents that depend on the served resources: discovery. Made once per change, served with ETags. */
import { createHash } from "node:crypto";
import { deepFreeze, type KubeObject } from "../../../api/index.js";
import { defined } from "../../../base/defined.js";
import type { HttpResponse } from "../../../base/index.js";
import {
  aggregatedDiscovery,
  aggregatedMediaType,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "../../discovery/index.js";
import { protobufMediaType } from "../../codec/index.js";
import type { Registry } from "../../registry/registry.js";
import { codecOf, type Exchange, header, outputOf } from "../exchange.js";
import { segments } from "../request-info.js";
import { valueAnswer } from "../answers/answer.js";
import { json, parseAccept } from "../answers/negotiate.js";
import type { DocumentRoute } from "../route.js";

/** A document that is made once and served with an ETag. */
export interface Document {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** The content of the bytes, frozen, for readers in this process; a JSON document alone has it. */
  value?(): unknown;
}

type Readable = Document & Required<Pick<Document, "value">>;

function makeDocument(value: unknown, contentType: string): Readable {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(`${text}\n`);
  let read: { readonly value: unknown } | undefined;
  return {
    bytes,
    contentType,
    etag: `"${hashOf(bytes)}"`,
    value: () => (read ??= { value: deepFreeze(JSON.parse(text) as unknown) }).value,
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha512").update(bytes).digest("hex").toUpperCase();
}

export function documentAnswer(
  exchange: Exchange,
  document: Document,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const common = { etag: document.etag, vary: "Accept", ...headers };
  if (header(exchange, "if-none-match") === document.etag)
    return { status: 304, headers: common, body: new Uint8Array() };
  const { contentType, bytes: body, value } = document;
  return { status: 200, headers: { "content-type": contentType, ...common }, body, ...defined({ value }) };
}

/** `serverAddress` gives the address for clients, which is known only once the server listens. */
export function discoveryRoute(registry: Registry, serverAddress: () => string): DocumentRoute {
  return (exchange) => {
    const { path } = exchange;
    const [root, group, version, ...more] = segments(path) ?? [];
    if ((root !== "api" && root !== "apis") || more.length > 0 || (root === "api" && version !== undefined))
      return undefined;
    if (group === undefined) return rootAnswer(exchange, root, { registry, serverAddress });
    const document = registry.derived(path.replace(/\/$/, ""), () => {
      const groups = registry.groups();
      const value =
        root === "api"
          ? apiResourceList(groups, "", group)
          : version === undefined
            ? apiGroup(groups, group)
            : apiResourceList(groups, group, version);
      return value && makeDocument(value, json);
    });
    return document && negotiated(exchange, document);
  };
}

/** The document in the form that the client asks for; the JSON alone is kept. */
function negotiated(exchange: Exchange, { bytes, value }: Readable): HttpResponse {
  const output = outputOf(exchange, { custom: false, transforms: false });
  if (output.mediaType === json && !output.pretty)
    return { status: 200, headers: { "content-type": json }, body: bytes };
  const codec = codecOf(exchange, output.mediaType);
  // the roots name no version, except in an envelope
  const envelope = output.mediaType === protobufMediaType ? { apiVersion: "v1" } : {};
  return valueAnswer(200, { ...envelope, ...(value() as KubeObject) }, output, codec);
}

interface RootOptions {
  readonly registry: Registry;
  serverAddress(): string;
}

function rootAnswer(exchange: Exchange, root: "api" | "apis", { registry, serverAddress }: RootOptions): HttpResponse {
  if (asksAggregated(header(exchange, "accept") ?? "")) {
    const make = (): Document => makeDocument(aggregatedDiscovery(registry.groups(), `/${root}`), aggregatedMediaType);
    return documentAnswer(exchange, registry.derived(`aggregated ${root}`, make), { "cache-control": "public" });
  }
  const address = serverAddress();
  const make = (): Readable =>
    makeDocument(root === "api" ? apiVersions(address) : apiGroupList(registry.groups()), json);
  const answer = negotiated(exchange, registry.derived(`legacy ${root} ${address}`, make));
  return { ...answer, headers: { ...answer.headers, vary: "Accept" } };
}

/** The first clause that can be served decides. */
function asksAggregated(accept: string): boolean {
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== json && type !== "*/*") continue;
    const as = parameters.get("as");
    if (as === undefined) return false;
    if (as === "APIGroupDiscoveryList" && parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("v") === "v2")
      return true;
  }
  return false;
}
