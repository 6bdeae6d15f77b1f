/** Encodes an OpenAPI v2 document as protobuf, the form that Go clients ask for. */
import type { Steps } from "../../base/index.js";
import { delimited, fixed64, varint, WireWriter } from "../codec/wire.js";
import type { OpenApiV2 } from "./v2.js";

/** The media types in the client's Accept header and in the answer. */
export const openApiV2Protobuf = {
  accepted: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  answered: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
} as const;

type Json = Readonly<Record<string, unknown>>;

/** Writes one or more fields. The writer works from the end, so the last field is written first. */
type Part = (writer: WireWriter) => void;

/** The fields of a message in ascending order; undefined, empty and zero values are left out, as in proto3. */
function message(...parts: readonly (Part | undefined | readonly Part[])[]): Part {
  const fields = parts.flat();
  return (writer) => {
    for (let i = fields.length - 1; i >= 0; i--) fields[i]?.(writer);
  };
}

function nested(number: number, inner: Part): Part {
  return (writer) => {
    const before = writer.length;
    inner(writer);
    writer.uint32(writer.length - before);
    writer.tag(number, delimited);
  };
}

function text(number: number, value: unknown): Part | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return (writer) => {
    writer.string(value);
    writer.tag(number, delimited);
  };
}

function texts(number: number, values: unknown): readonly Part[] {
  const list = Array.isArray(values) ? (values as readonly unknown[]) : [];
  return list.map((value) => text(number, String(value))).filter((part) => part !== undefined);
}

function flag(number: number, value: unknown): Part | undefined {
  if (value !== true) return undefined;
  return (writer) => {
    writer.uint32(1);
    writer.tag(number, varint);
  };
}

function integer(number: number, value: unknown): Part | undefined {
  if (typeof value !== "number" || value === 0) return undefined;
  return (writer) => {
    writer.int64(value);
    writer.tag(number, varint);
  };
}

function real(number: number, value: unknown): Part | undefined {
  if (typeof value !== "number" || value === 0) return undefined;
  return (writer) => {
    writer.double(value);
    writer.tag(number, fixed64);
  };
}

/** Any value as text: JSON, which is also YAML. */
function any(number: number, value: unknown): Part | undefined {
  return value === undefined ? undefined : nested(number, message(text(2, JSON.stringify(value))));
}

function named(number: number, entries: Json | undefined, value: (inner: Json) => Part): readonly Part[] {
  return Object.entries(entries ?? {}).map(([name, inner]) =>
    nested(number, message(text(1, name), nested(2, value(inner as Json)))),
  );
}

function extensions(number: number, object: Json): readonly Part[] {
  const own = Object.entries(object).filter(([name]) => name.startsWith("x-"));
  return own.map(([name, value]) => nested(number, message(text(1, name), any(2, value))));
}

/** Written from the end: the last section first. */
export function* encodeOpenApiV2({ swagger, info, paths, definitions }: OpenApiV2): Steps<Uint8Array> {
  const writer = new WireWriter(1 << 20);
  yield* section(writer, 9, { number: 1, entries: definitions, value: schema });
  yield* section(writer, 8, { number: 2, entries: paths, value: pathItem });
  message(text(1, swagger), nested(2, message(text(1, info.title), text(2, info.version))))(writer);
  return writer.finish();
}

interface Section {
  readonly number: number;
  readonly entries: Json;
  value(inner: Json): Part;
}

function* section(writer: WireWriter, outer: number, { number, entries, value }: Section): Steps<void> {
  const before = writer.length;
  for (const [name, inner] of Object.entries(entries).reverse()) {
    nested(number, message(text(1, name), nested(2, value(inner as Json))))(writer);
    yield;
  }
  writer.uint32(writer.length - before);
  writer.tag(outer, delimited);
}

const methods: readonly (readonly [method: string, number: number])[] = [
  ["get", 2],
  ["put", 3],
  ["post", 4],
  ["delete", 5],
  ["patch", 8],
];

function pathItem(item: Json): Part {
  const operations = methods.map(([method, number]) =>
    item[method] === undefined ? undefined : nested(number, operation(item[method] as Json)),
  );
  return message(
    operations.filter((part) => part !== undefined),
    parameters(9, item["parameters"]),
  );
}

function operation(item: Json): Part {
  return message(
    texts(1, item["tags"]),
    text(5, item["operationId"]),
    texts(6, item["produces"]),
    texts(7, item["consumes"]),
    parameters(8, item["parameters"]),
    nested(9, message(named(1, item["responses"] as Json, (answer) => message(nested(1, response(answer)))))),
    texts(10, item["schemes"]),
    extensions(13, item),
  );
}

function response(answer: Json): Part {
  const body = answer["schema"] as Json | undefined;
  return message(text(1, answer["description"]), body && nested(2, message(nested(1, schema(body)))));
}

function parameters(number: number, list: unknown): readonly Part[] {
  return ((list ?? []) as readonly Json[]).map((item) => nested(number, message(nested(1, parameter(item)))));
}

function parameter(item: Json): Part {
  const { name, required, type, uniqueItems } = item;
  const place = item["in"];
  if (place === "body") {
    const body = message(text(2, name), text(3, place), flag(4, required), nested(5, schema(item["schema"] as Json)));
    return message(nested(1, body));
  }
  const head = [flag(1, required), text(2, place), text(4, name)];
  if (place === "path")
    return message(nested(2, message(nested(4, message(...head, text(5, type), flag(19, uniqueItems))))));
  return message(nested(2, message(nested(3, message(...head, text(6, type), flag(20, uniqueItems))))));
}

function schema(item: Json): Part {
  const { items, additionalProperties, properties, type } = item;
  return message(
    text(1, item["$ref"]),
    text(2, item["format"]),
    text(3, item["title"]),
    text(4, item["description"]),
    any(5, item["default"]),
    real(6, item["multipleOf"]),
    real(7, item["maximum"]),
    flag(8, item["exclusiveMaximum"]),
    real(9, item["minimum"]),
    flag(10, item["exclusiveMinimum"]),
    integer(11, item["maxLength"]),
    integer(12, item["minLength"]),
    text(13, item["pattern"]),
    integer(14, item["maxItems"]),
    integer(15, item["minItems"]),
    flag(16, item["uniqueItems"]),
    integer(17, item["maxProperties"]),
    integer(18, item["minProperties"]),
    texts(19, item["required"]),
    ((item["enum"] ?? []) as readonly unknown[]).map((value) => any(20, value) as Part),
    additionalProperties === undefined ? undefined : nested(21, additional(additionalProperties)),
    type === undefined ? undefined : nested(22, message(texts(1, [type]))),
    items === undefined ? undefined : nested(23, message(nested(1, schema(items as Json)))),
    properties === undefined ? undefined : nested(25, message(named(1, properties as Json, schema))),
    extensions(31, item),
  );
}

function additional(value: unknown): Part {
  return typeof value === "boolean" ? message(flag(2, value)) : message(nested(1, schema(value as Json)));
}
