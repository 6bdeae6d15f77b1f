/**
 * `/openapi/v3`: an index whose hashes change with the served resources, and one document per group and version;
 * `/openapi/v2`: one document for everything.
 */
import { createHash } from "node:crypto";
import { type HttpResponse, inSlices, type Steps } from "../../../base/index.js";
import {
  encodeOpenApiV2,
  openApiV2,
  openApiV2Protobuf,
  openApiV3,
  openApiV3FromV2,
  openApiV3Index,
  openApiV3Path,
  type OpenApiVersion,
  withParts,
} from "../../openapi/index.js";
import type { Registry } from "../../registry/registry.js";
import { type Document, documentAnswer } from "./documents.js";
import { type Exchange, header } from "../exchange.js";
import { json, parseAccept } from "../answers/negotiate.js";
import type { OpenApiPart, RemoteVersion, ServedResource } from "../../contracts/served.js";
import type { DocumentRoute } from "../route.js";

/** The schema of a custom kind in a version, from its definition. */
export type SchemaOf = (
  group: string,
  version: string,
  plural: string,
) => Readonly<Record<string, unknown>> | undefined;

const root = "/openapi/v3";

export function openApiRoute(registry: Registry, schemaOf: SchemaOf): DocumentRoute {
  const served = servedVersions(registry, schemaOf);
  const document = documentsMadeOnce();
  return (exchange) => {
    const path = exchange.path.replace(/\/$/, "");
    const generation = String(registry.generation);
    if (path === root) {
      const hashes = (): ReadonlyMap<string, string> => new Map([...served()].map(([name, { hash }]) => [name, hash]));
      const make = (): Steps<Document> => documentOf(written(openApiV3Index(hashes())), json);
      return answered(exchange, document(exchange, { name: root, tag: generation, make }));
    }
    if (path === "/openapi/v2") {
      const form = asksProtobuf(exchange) ? "protobuf" : "json";
      const local = [...served().values()].filter(({ remote }) => remote === undefined);
      const versions = local.map((about) => describe(registry, about, schemaOf));
      const make = (): Steps<Document> => oldDocument(form, versions, partsOf(registry));
      return answered(exchange, document(exchange, { name: `${path} ${form}`, tag: generation, make }));
    }
    if (!path.startsWith(`${root}/`)) return undefined;
    const about = served().get(path.slice(root.length + 1));
    if (about === undefined) return undefined;
    const { hash } = about;
    const asked = exchange.query.get("hash");
    if (asked !== null && asked !== hash) {
      return { status: 301, headers: { location: `${path}?hash=${hash}` }, body: new Uint8Array() };
    }
    const part = about.remote?.openApi;
    const make = (): Steps<Document> =>
      part === undefined
        ? newDocument(openApiV3(describe(registry, about, schemaOf)), hash)
        : newDocument(openApiV3FromV2(part), hash);
    return answered(exchange, document(exchange, { name: path, tag: hash, make }), lasting(exchange, asked !== null));
  };
}

interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** Changes with the content of the document. */
  readonly hash: string;
  /** Present if another server answers for the version. */
  readonly remote?: RemoteVersion;
}

/** Versions by the end of their path. Computed again only after a change, and then only the changed ones. */
function servedVersions(registry: Registry, schemaOf: SchemaOf): () => ReadonlyMap<string, ServedVersion> {
  const digests = new WeakMap<object, { readonly schema: object | undefined; readonly digest: string }>();
  const digestOf = (resource: ServedResource): string => {
    const schema = schemaOf(resource.group, resource.version, resource.plural);
    let known = digests.get(resource);
    if (known === undefined || known.schema !== schema) {
      known = { schema, digest: hashOf(JSON.stringify([resource, schema])) };
      digests.set(resource, known);
    }
    return known.digest;
  };
  let all: Map<string, ServedVersion> | undefined;
  let generation = registry.generation;
  return () => {
    if (all !== undefined && generation === registry.generation) return all;
    all = new Map();
    generation = registry.generation;
    for (const { group, versions } of registry.groups()) {
      for (const { version, resources, remote } of versions) {
        if (remote !== undefined) {
          const { openApiV3: described } = remote;
          if (described !== undefined) {
            all.set(openApiV3Path(group, version), { group, version, hash: described.hash, remote });
          }
          continue;
        }
        // metrics by name have no endpoints, and no schemas
        if (!resources.some(({ plural }) => registry.endpoint(group, version, plural))) continue;
        const hash = hashOf(resources.map(digestOf).join());
        all.set(openApiV3Path(group, version), { group, version, hash });
      }
    }
    return all;
  };
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").toUpperCase();

interface Wanted {
  readonly name: string;
  /** Documents with the same name and tag are the same. */
  readonly tag: string;
  make(): Steps<Document>;
}

/** Making a document takes long, so it is made in slices, and concurrent requests wait for the same one. */
function documentsMadeOnce(): (exchange: Exchange, wanted: Wanted) => Promise<Document> {
  const documents = new Map<string, { readonly tag: string; readonly document: Promise<Document> }>();
  return ({ machinery }, { name, tag, make }) => {
    const known = documents.get(name);
    if (known?.tag === tag) return known.document;
    const document = inSlices(make(), { clock: machinery.clock });
    documents.set(name, { tag, document });
    // a failure is tried again; requests that waited get the error
    document.catch(() => documents.delete(name));
    return document;
  };
}

async function answered(
  exchange: Exchange,
  document: Promise<Document>,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return documentAnswer(exchange, await document, headers);
}

/** A client that knows the hash may keep the document for ever. */
function lasting({ machinery }: Exchange, knowsHash: boolean): Readonly<Record<string, string>> {
  const year = new Date(machinery.clock.now() + 365 * 86_400_000).toUTCString();
  return knowsHash ? { "cache-control": "public, immutable", expires: year } : {};
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

/** Go clients ask for protobuf, people for JSON. */
function asksProtobuf(exchange: Exchange): boolean {
  const { accepted, answered } = openApiV2Protobuf;
  return parseAccept(header(exchange, "accept") ?? "").some(({ type }) => type === accepted || type === answered);
}

/** The parts of the document that come from other servers. */
const partsOf = (registry: Registry): readonly OpenApiPart[] =>
  registry
    .groups()
    .flatMap(({ versions }) => versions.map(({ remote }) => remote?.openApi))
    .filter((part) => part !== undefined);

function* oldDocument(
  form: "json" | "protobuf",
  versions: readonly OpenApiVersion[],
  parts: readonly OpenApiPart[],
): Steps<Document> {
  const own = yield* openApiV2(versions);
  const document = parts.length === 0 ? own : withParts(own, parts);
  return form === "json"
    ? yield* documentOf(written(document), json)
    : yield* documentOf(encodeOpenApiV2(document), openApiV2Protobuf.answered);
}

function* newDocument(made: Steps<object>, hash: string): Steps<Document> {
  const bytes = yield* written(yield* made);
  return { bytes, contentType: json, etag: `"${hash}"` };
}

function* documentOf(making: Steps<Uint8Array>, contentType: string): Steps<Document> {
  const bytes = yield* making;
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += hashedAtOnce) {
    hash.update(bytes.subarray(at, at + hashedAtOnce));
    yield;
  }
  return { bytes, contentType, etag: `"${hash.digest("hex").toUpperCase()}"` };
}

const hashedAtOnce = 256 * 1024;
/** `components`, `schemas`, and each schema. */
const depthInPieces = 3;

function* written(value: object): Steps<Uint8Array> {
  const pieces: string[] = [];
  yield* writePieces(value, depthInPieces, pieces);
  return Buffer.from(pieces.join(""));
}

/** As JSON.stringify, with a pause after each member. */
function* writePieces(value: object, depth: number, pieces: string[]): Steps<void> {
  let before = "{";
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue;
    pieces.push(`${before}${JSON.stringify(name)}:`);
    before = ",";
    if (depth > 1 && typeof member === "object" && member !== null && !Array.isArray(member)) {
      yield* writePieces(member, depth - 1, pieces);
    } else pieces.push(JSON.stringify(member));
    yield;
  }
  pieces.push(before === "{" ? "{}" : "}");
}
