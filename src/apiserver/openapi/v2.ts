/** OpenAPI v2: one document about everything that is served, which kubectl and older clients read. Pure. */
import type { GroupVersionKind } from "../../api/index.js";
import type { Steps } from "../../base/index.js";
import { entriesByName } from "../../base/members.js";
import { customSchemas } from "./custom.js";
import { pathsOf } from "./paths.js";
import { builtInSchema, type JsonSchema, references, v2, v3, withReferences } from "./schemas.js";
import type { OpenApiVersion } from "./v3.js";

export interface OpenApiV2 {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, JsonSchema>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  readonly securityDefinitions: object;
  readonly security: readonly object[];
}

/** The document at `/openapi/v2`. */
export function* openApiV2(versions: readonly OpenApiVersion[]): Steps<OpenApiV2> {
  const paths: Record<string, JsonSchema> = {};
  const definitions: Record<string, JsonSchema> = {};
  for (const { group, version, resources, custom } of versions) {
    const home: GroupVersionKind = { group, version, kind: "" };
    const own = customSchemas(resources, custom ?? new Map(), v2);
    const items = Object.entries(yield* pathsOf(group, version, resources));
    const used: string[] = [];
    for (const [path, item] of items) {
      paths[path] = inVersion2(item);
      for (const target of references(item)) used.push(target.slice(v3.prefix.length));
      yield;
    }
    if (custom === undefined) used.push("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent");
    const schemaOf = (name: string): JsonSchema | undefined => own.get(name) ?? builtInSchema(name, v2, home);
    const found = Object.entries(yield* withReferences([...used, ...own.keys()], schemaOf, v2));
    for (const [name, schema] of found) definitions[name] = withKinds(schema, definitions[name]);
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: sorted(paths),
    definitions: sorted(definitions),
    securityDefinitions: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    security: [{ BearerToken: [] }],
  };
}

/** The same members, in the order of their names. */
export function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(entriesByName(record));
}

const kindsKey = "x-kubernetes-group-version-kind";

/** A kind that belongs to every group is one schema with many kinds in its extension. */
function withKinds(schema: JsonSchema, before: JsonSchema | undefined): JsonSchema {
  const kinds = schema[kindsKey] as readonly GroupVersionKind[] | undefined;
  const known = before?.[kindsKey] as readonly GroupVersionKind[] | undefined;
  if (kinds === undefined || known === undefined) return schema;
  const all = new Map([...known, ...kinds].map((kind) => [`${kind.group}/${kind.version}`, kind]));
  return { ...schema, [kindsKey]: [...all.values()] };
}

type Json = Readonly<Record<string, unknown>>;

function inVersion2(item: Json): JsonSchema {
  const out: Record<string, unknown> = {};
  for (const [method, operation] of Object.entries(item)) {
    out[method] =
      method === "parameters" ? (operation as readonly Json[]).map(parameter) : operationOf(operation as Json);
  }
  return out;
}

function parameter({ schema, ...rest }: Json): Json {
  return { ...(schema as Json), ...rest };
}

function operationOf({ requestBody, responses, parameters, ...rest }: Json): Json {
  const body = requestBody as { readonly content: Json; readonly required?: boolean } | undefined;
  const [content] = Object.values(body?.content ?? {}) as { readonly schema: Json }[];
  const sent = content && {
    name: "body",
    in: "body",
    ...(body?.required ? { required: true } : {}),
    schema: retarget(content.schema),
  };
  const query = ((parameters ?? []) as readonly Json[]).map(parameter);
  return {
    consumes: Object.keys(body?.content ?? { "*/*": {} }),
    produces: producedBy(responses as Json),
    schemes: ["https"],
    ...rest,
    parameters: sent ? [sent, ...query] : query,
    responses: Object.fromEntries(
      Object.entries(responses as Json).map(([code, answer]) => [code, response(answer as Json)]),
    ),
  };
}

function producedBy(responses: Json): readonly string[] {
  const answer = responses["200"] as { readonly content?: Json } | undefined;
  return Object.keys(answer?.content ?? {});
}

function response({ description, content }: Json): Json {
  const [first] = Object.values((content ?? {}) as Json) as { readonly schema: Json }[];
  return { description, ...(first ? { schema: retarget(first.schema) } : {}) };
}

function retarget(schema: Json): Json {
  const target = schema["$ref"];
  return typeof target === "string" ? { $ref: `${v2.prefix}${target.slice(v3.prefix.length)}` } : schema;
}
