/**
 * Makes the OpenAPI v3 document of a version from its part of an OpenAPI v2 document, for a server that has no other. Pure;
 * the depth of the part has been checked, and all else in it may be anything.
 */
import type { Steps } from "../../base/index.js";
import { isRecord, setMember } from "../../base/members.js";
import type { OpenApiPart } from "../contracts/served.js";
import { v2, v3 } from "./schemas.js";
import { defined, unlessEmpty } from "../../base/defined.js";

type Json = Readonly<Record<string, unknown>>;

/** As upstream, security and shared responses of other paths are left out. */
export function* openApiV3FromV2({ info, paths, definitions }: OpenApiPart): Steps<object> {
  const schemas = yield* eachOf(definitions, schemaOf);
  return { openapi: "3.0.0", info, paths: yield* eachOf(paths, pathItem), components: { schemas } };
}

function* eachOf(members: Readonly<Record<string, object>>, change: (member: Json) => Json): Steps<object> {
  const entries: [string, Json][] = [];
  for (const [name, one] of Object.entries(members)) {
    entries.push([name, change(one as Json)]);
    yield;
  }
  return Object.fromEntries(entries);
}

const methods: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

function pathItem(item: Json): Json {
  const { parameters, ...rest } = item;
  const operations = Object.entries(rest)
    .filter(([name]) => methods.has(name) || isExtension(name))
    .map(([name, one]) => [name, methods.has(name) && isRecord(one) ? operationOf(one) : one]);
  const shared = recordsIn(parameters).map(parameterOf);
  return { ...Object.fromEntries(operations), ...defined({ parameters: unlessEmpty(shared) }) } as Json;
}

function operationOf(operation: Json): Json {
  const { parameters, consumes, produces, responses, schemes: _, ...rest } = operation;
  const isBody = ({ name, schema }: Json): boolean => name === "body" && isRecord(schema);
  const all = recordsIn(parameters);
  const body = all.findLast(isBody);
  const others = all.filter((one) => !isBody(one)).map(parameterOf);
  return {
    ...rest,
    ...defined({ parameters: unlessEmpty(others) }),
    ...(body === undefined ? {} : { requestBody: contentOf(consumes, body["schema"]) }),
    responses: mapped(isRecord(responses) ? responses : {}, ({ schema, description, ...more }) => {
      const extensions = Object.fromEntries(Object.entries(more).filter(([name]) => isExtension(name)));
      return { description, ...extensions, ...(isRecord(schema) ? contentOf(produces, schema) : {}) };
    }),
  };
}

function contentOf(types: unknown, schema: unknown): Json {
  if (!Array.isArray(types)) return {};
  const media = types.filter((one) => typeof one === "string");
  return { content: Object.fromEntries(media.map((type) => [type, { schema: schemaOf(schema as Json) }])) };
}

function parameterOf(parameter: Json): Json {
  const { type, format, uniqueItems, schema, items: _, ...rest } = parameter;
  const plain = Object.fromEntries(
    Object.entries({ type, format, uniqueItems }).filter(([, one]) => one !== undefined),
  );
  return { ...rest, schema: isRecord(schema) ? schemaOf(schema) : plain };
}

const inMap: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
const inPlace: ReadonlySet<string> = new Set(["items", "additionalProperties", "additionalItems", "not"]);
const inList: ReadonlySet<string> = new Set(["items", "allOf", "anyOf", "oneOf"]);

function schemaOf(schema: Json): Json {
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema)) {
    if (inMap.has(name) && isRecord(member)) out[name] = mapped(member, schemaOf);
    else if (inPlace.has(name) && isRecord(member)) out[name] = schemaOf(member);
    else if (inList.has(name) && Array.isArray(member)) out[name] = recordsIn(member).map(schemaOf);
    else setMember(out, name, member);
  }
  const { $ref: target, ...rest } = out;
  if (typeof target !== "string" || !target.startsWith(v2.prefix)) return out;
  const $ref = v3.prefix + target.slice(v2.prefix.length);
  // version 3 ignores the members beside a reference
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] };
}

const isExtension = (name: string): boolean => name.startsWith("x-");

const recordsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter((one) => isRecord(one)) : [];

/** Members that are no objects are left out. */
function mapped(members: Json, change: (member: Json) => Json): Json {
  const entries = Object.entries(members).flatMap(([name, one]) => (isRecord(one) ? [[name, change(one)]] : []));
  return Object.fromEntries(entries) as Json;
}
