/** Encodes an object as the protobuf message of its type, byte for byte as upstream's marshaller does. */
import { exactJson } from "../../api/values/exact-json.js";
import { isRecord } from "../../base/members.js";
import { parseDuration, parseMicroTime, parseTime } from "../../api/index.js";
import { type ObjectType, type Shape, typeNamed } from "../../api/schema/index.js";
import { delimited, fixed64, varint, type WireWriter } from "./wire.js";

type Json = Readonly<Record<string, unknown>>;

const none: Json = {};
/** Non-pointer values are written even if they are zero, as upstream does. */
export function encodeMessage(writer: WireWriter, type: ObjectType, value: Json): void {
  for (const [number, field] of type.numbered) {
    const { shape } = field;
    if (field.inline && shape.kind === "object") {
      encodeValue(writer, number, shape, value);
      continue;
    }
    const given = value[field.name];
    if (given !== undefined && given !== null) encodeField(writer, number, shape, given);
    else if (!field.pointer && shape.kind !== "list") encodeZero(writer, number, shape);
  }
}

function encodeField(writer: WireWriter, number: number, shape: Shape, value: unknown): void {
  if (shape.kind === "list" && !shape.wrapped) {
    const items = value as readonly unknown[];
    for (let i = items.length - 1; i >= 0; i--) encodeItem(writer, number, shape.items, items[i]);
  } else if (shape.kind === "map") {
    encodeMap(writer, number, shape.items, value as Json);
  } else {
    encodeValue(writer, number, shape, value);
  }
}

/** A null in a list or map is written as the zero value. */
function encodeItem(writer: WireWriter, number: number, shape: Shape, value: unknown): void {
  if (value === undefined || value === null) encodeZero(writer, number, shape);
  else encodeValue(writer, number, shape, value);
}

function encodeZero(writer: WireWriter, number: number, shape: Shape): void {
  switch (shape.kind) {
    case "string":
      return encodeValue(writer, number, shape, "");
    case "boolean":
      return encodeValue(writer, number, shape, false);
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return encodeValue(writer, number, shape, 0);
    case "quantity":
      return encodeValue(writer, number, shape, "0");
    case "duration":
      return encodeValue(writer, number, shape, "0s");
    case "object":
      return encodeValue(writer, number, shape, none);
    case "time":
    case "microTime":
    case "rawExtension":
    case "fieldsV1":
    case "json":
    case "list":
      writer.uint32(0);
      return writer.tag(number, delimited);
    default:
      return;
  }
}

/** Keys are written in ascending bytewise order; each entry is a message of key and value. */
function encodeMap(writer: WireWriter, number: number, items: Shape, value: Json): void {
  // UTF-16 units sort like UTF-8 bytes except around surrogates, which keys do not have in practice
  const keys = Object.keys(value).sort();
  for (let i = keys.length - 1; i >= 0; i--) {
    const before = writer.length;
    const key = keys[i] as string;
    encodeItem(writer, 2, items, value[key]);
    writer.string(key);
    writer.tag(1, delimited);
    writer.uint32(writer.length - before);
    writer.tag(number, delimited);
  }
}

function encodeValue(writer: WireWriter, number: number, shape: Shape, value: unknown): void {
  switch (shape.kind) {
    case "string":
      writer.string(value as string);
      return writer.tag(number, delimited);
    case "boolean":
      writer.uint32(value === true ? 1 : 0);
      return writer.tag(number, varint);
    case "int32":
    case "int64":
      writer.int64(value as number | bigint);
      return writer.tag(number, varint);
    case "double":
      writer.double(value as number);
      return writer.tag(number, fixed64);
    case "bytes":
      writer.bytes(Buffer.from(value as string, "base64"));
      return writer.tag(number, delimited);
    default: {
      const before = writer.length;
      encodeBody(writer, shape, value);
      writer.uint32(writer.length - before);
      writer.tag(number, delimited);
    }
  }
}

/** Writes the content of a value that is encoded with its length. */
function encodeBody(writer: WireWriter, shape: Shape, value: unknown): void {
  switch (shape.kind) {
    case "object":
      return encodeMessage(writer, shape.type, value as Json);
    case "list":
      return encodeField(writer, 1, { ...shape, wrapped: false }, value);
    case "quantity":
      return encodeValue(writer, 1, { kind: "string" }, String(value));
    case "time":
      return encodeSeconds(writer, Math.floor(parseTime(value as string) / 1000), 0);
    case "microTime": {
      const micros = parseMicroTime(value as string);
      const seconds = Math.floor(micros / 1e6);
      return encodeSeconds(writer, seconds, (micros - seconds * 1e6) * 1000);
    }
    case "duration":
      return encodeValue(writer, 1, { kind: "int64" }, parseDuration(value as string));
    case "intOrString":
      return encodeIntOrString(writer, value as number | string);
    case "rawExtension":
    case "fieldsV1":
    case "json":
      writer.string(exactJson(value));
      return writer.tag(1, delimited);
    default:
      return encodeSchemaOr(writer, shape.kind === "schemaOrBool", value);
  }
}

function encodeSeconds(writer: WireWriter, seconds: number, nanos: number): void {
  encodeValue(writer, 2, { kind: "int32" }, nanos);
  encodeValue(writer, 1, { kind: "int64" }, seconds);
}

function encodeIntOrString(writer: WireWriter, value: number | string): void {
  const text = typeof value === "string";
  encodeValue(writer, 3, { kind: "string" }, text ? value : "");
  encodeValue(writer, 2, { kind: "int32" }, text ? 0 : value);
  encodeValue(writer, 1, { kind: "int64" }, text ? 1 : 0);
}

/** A schema, or the boolean or list of schemas or strings in its place. */
function encodeSchemaOr(writer: WireWriter, orBoolean: boolean, value: unknown): void {
  const schema: Shape = { kind: "object", type: typeNamed("apiextensions/v1.JSONSchemaProps") as ObjectType };
  if (Array.isArray(value)) {
    const items: Shape = value.every((item) => typeof item === "string") ? { kind: "string" } : schema;
    return encodeField(writer, 2, { kind: "list", items, wrapped: false }, value);
  }
  if (isRecord(value)) encodeValue(writer, orBoolean ? 2 : 1, schema, value);
  // a schema implies that values are allowed
  if (orBoolean) encodeValue(writer, 1, { kind: "boolean" }, value !== false);
}
