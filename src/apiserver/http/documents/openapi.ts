/** `/openapi/v3`: an index whose hashes change with what is served, and one document per group and version; `/openapi/v2`: all in one. */
import { createHash } from "node:crypto";
import type { HttpResponse } from "../../../base/index.js";
import {
  encodeOpenApiV2,
  openApiV2,
  openApiV2Protobuf,
  openApiV3,
  openApiV3Index,
  openApiV3Path,
  type OpenApiVersion,
} from "../../openapi/index.js";
import type { Registry } from "../../registry/registry.js";
import { documentAnswer, documentCache } from "./documents.js";
import { type Exchange, header } from "../exchange.js";
import { json, parseAccept } from "../answers/negotiate.js";
import type { Document } from "../providers.js";
import type { DocumentRoute } from "../route.js";

/** The schema of a custom kind in a version, as its definition gives it. */
export type SchemaOf = (
  group: string,
  version: string,
  plural: string,
) => Readonly<Record<string, unknown>> | undefined;

const root = "/openapi/v3";

export function openApiRoute(registry: Registry, schemaOf: SchemaOf): DocumentRoute {
  const cached = documentCache(registry);
  const found = (): Map<string, { group: string; version: string; hash: string }> => {
    const all = new Map<string, { group: string; version: string; hash: string }>();
    for (const { group, versions } of registry.groups()) {
      for (const { version, resources } of versions) {
        const schemas = resources.map(({ plural }) => schemaOf(group, version, plural));
        const hash = createHash("sha256")
          .update(JSON.stringify([resources, schemas]))
          .digest("hex")
          .toUpperCase();
        all.set(openApiV3Path(group, version), { group, version, hash });
      }
    }
    return all;
  };
  let paths = { generation: 0, all: found() };
  const current = (): typeof paths.all => {
    if (paths.generation !== registry.generation) paths = { generation: registry.generation, all: found() };
    return paths.all;
  };
  return (exchange) => {
    const path = exchange.path.replace(/\/$/, "");
    if (path === root) {
      const index = cached("index", () =>
        documentOf(openApiV3Index(new Map([...current()].map(([name, { hash }]) => [name, hash])))),
      );
      return documentAnswer(exchange, index as Document);
    }
    if (path === "/openapi/v2") {
      const form = asksProtobuf(exchange) ? "protobuf" : "json";
      const versions = (): OpenApiVersion[] =>
        [...current().values()].map((about) => describe(registry, about, schemaOf));
      return documentAnswer(exchange, cached(`v2 ${form}`, () => oldDocument(form, versions())) as Document);
    }
    if (!path.startsWith(`${root}/`)) return undefined;
    const name = path.slice(root.length + 1);
    const about = current().get(name);
    if (about === undefined) return undefined;
    const make = (): Document => documentOf(openApiV3(describe(registry, about, schemaOf)), about.hash);
    return versionAnswer(exchange, { path, hash: about.hash }, () => cached(name, make) as Document);
  };
}

function describe(
  registry: Registry,
  { group, version }: { readonly group: string; readonly version: string },
  schemaOf: SchemaOf,
): OpenApiVersion {
  const served = registry.groups().find((one) => one.group === group)?.versions;
  const resources = served?.find((one) => one.version === version)?.resources ?? [];
  if (!resources.some(({ plural }) => registry.endpoint(group, version, plural)?.custom)) {
    return { group, version, resources };
  }
  const custom = new Map(resources.map(({ kind, plural }) => [kind, schemaOf(group, version, plural)]));
  return { group, version, resources, custom };
}

/** Go clients ask for protobuf only, people for JSON. */
function asksProtobuf(exchange: Exchange): boolean {
  const { accepted, answered } = openApiV2Protobuf;
  return parseAccept(header(exchange, "accept") ?? "").some(({ type }) => type === accepted || type === answered);
}

function oldDocument(form: "json" | "protobuf", versions: readonly OpenApiVersion[]): Document {
  const document = openApiV2(versions);
  if (form === "json") return documentOf(document);
  const bytes = encodeOpenApiV2(document);
  const etag = createHash("sha256").update(bytes).digest("hex").toUpperCase();
  return { bytes, contentType: openApiV2Protobuf.answered, etag: `"${etag}"` };
}

function documentOf(value: object, hash?: string): Document {
  const bytes = Buffer.from(JSON.stringify(value));
  const own = hash ?? createHash("sha256").update(bytes).digest("hex").toUpperCase();
  return { bytes, contentType: json, etag: `"${own}"` };
}

/** A client that knows the hash may keep the document for ever; one with an old hash is sent to the new. */
function versionAnswer(
  exchange: Exchange,
  { path, hash }: { readonly path: string; readonly hash: string },
  document: () => Document,
): HttpResponse {
  const asked = exchange.query.get("hash");
  if (asked !== null && asked !== hash) {
    return { status: 301, headers: { location: `${path}?hash=${hash}` }, body: new Uint8Array() };
  }
  const year = new Date(exchange.machinery.clock.now() + 365 * 86_400_000).toUTCString();
  const lasting = asked === null ? {} : { "cache-control": "public, immutable", expires: year };
  return documentAnswer(exchange, document(), lasting);
}
