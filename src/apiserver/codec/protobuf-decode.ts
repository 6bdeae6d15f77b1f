/** Decodes the protobuf message of a type into JSON; `typedForm` then gives it the form that a server writes. */
import { parseExactJson } from "../../api/values/exact-json.js";
import { formatDuration, formatMicroTime, formatTime } from "../../api/index.js";
import { type FieldType, type ObjectType, type Shape, typeNamed } from "../../api/schema/index.js";
import { delimited, fixed64, varint, WireError, type WireReader } from "./wire.js";

type Json = Record<string, unknown>;

/** No API object is nested deeper: only a hostile client sends such messages. */
const maxDepth = 200;

/** Skips fields that the type does not have, as upstream does. Throws WireError for a malformed message. */
export function decodeMessage(reader: WireReader, type: ObjectType, into: Json = {}, depth = 0): Json {
  if (depth > maxDepth) throw new WireError("exceeded max depth");
  const { numbered } = type;
  while (!reader.done) {
    const tag = reader.uint32();
    const field = numbered.get(tag >>> 3);
    if (field === undefined) reader.skip(tag & 7);
    else decodeField(reader, field, tag & 7, { into, depth });
  }
  return into;
}

interface Place {
  readonly into: Json;
  readonly depth: number;
}

function decodeField(reader: WireReader, field: FieldType, wireType: number, { into, depth }: Place): void {
  const { shape, name } = field;
  if (field.inline && shape.kind === "object") {
    expectWire(wireType, delimited, field);
    decodeMessage(reader.message(), shape.type, into, depth + 1);
  } else if (shape.kind === "list" && !shape.wrapped) {
    const list = (into[name] ??= []) as unknown[];
    decodeItem(reader, field, { wireType, list, depth });
  } else if (shape.kind === "map") {
    expectWire(wireType, delimited, field);
    const map = (into[name] ??= {}) as Json;
    const { key, value } = decodeEntry(reader.message(), field, depth);
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    expectWire(wireType, wireTypeOf(shape), field);
    into[name] = decodeValue(reader, shape, depth, into[name]);
  }
}

/** Reads one item, or several packed into one field. */
function decodeItem(
  reader: WireReader,
  field: FieldType,
  { wireType, list, depth }: { readonly wireType: number; readonly list: unknown[]; readonly depth: number },
): void {
  const items = (field.shape as { readonly items: Shape }).items;
  const expected = wireTypeOf(items);
  if (wireType === delimited && expected !== delimited) {
    const packed = reader.message();
    while (!packed.done) list.push(decodeValue(packed, items, depth));
    return;
  }
  expectWire(wireType, expected, field);
  list.push(decodeValue(reader, items, depth));
}

function decodeEntry(reader: WireReader, field: FieldType, depth: number): { key: string; value: unknown } {
  const { items } = field.shape as { readonly items: Shape };
  let key = "";
  let value: unknown;
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) {
      expectWire(tag & 7, delimited, field);
      key = reader.string();
    } else if (tag >>> 3 === 2) {
      expectWire(tag & 7, wireTypeOf(items), field);
      value = decodeValue(reader, items, depth);
    } else reader.skip(tag & 7);
  }
  return { key, value: value ?? (items.kind === "string" || items.kind === "bytes" ? "" : null) };
}

function wireTypeOf(shape: Shape): number {
  switch (shape.kind) {
    case "boolean":
    case "int32":
    case "int64":
      return varint;
    case "double":
      return fixed64;
    default:
      return delimited;
  }
}

function expectWire(actual: number, expected: number, field: FieldType): void {
  if (actual !== expected) throw new WireError(`proto: wrong wireType = ${actual} for field ${field.name}`);
}

function decodeValue(reader: WireReader, shape: Shape, depth: number, previous?: unknown): unknown {
  switch (shape.kind) {
    case "string":
      return reader.string();
    case "boolean":
      return reader.int64() !== 0;
    case "int32":
      return reader.int32();
    case "int64":
      return reader.int64();
    case "double":
      return reader.double();
    case "bytes":
      return reader.bytes().toString("base64");
    case "object":
      return decodeMessage(reader.message(), shape.type, (previous ?? {}) as Json, depth + 1);
    case "list":
      return wrappedList(reader.message(), shape.items, depth);
    case "schemaOrArray":
    case "schemaOrBool":
    case "schemaOrStrings":
      return decodeSchemaOr(reader.message(), shape.kind, depth);
    default:
      return decodeSpecial(reader.message(), shape);
  }
}

function wrappedList(reader: WireReader, items: Shape, depth: number): readonly unknown[] {
  const list: unknown[] = [];
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1 && (tag & 7) === wireTypeOf(items)) list.push(decodeValue(reader, items, depth));
    else reader.skip(tag & 7);
  }
  return list;
}

/** Reads small messages that are one word in JSON: their numeric and text fields, by number. */
function decodeSpecial(reader: WireReader, shape: Shape): unknown {
  const numbers: Record<number, number | bigint> = {};
  const texts: Record<number, string> = {};
  while (!reader.done) {
    const tag = reader.uint32();
    if ((tag & 7) === varint) numbers[tag >>> 3] = reader.int64();
    else if ((tag & 7) === delimited) texts[tag >>> 3] = reader.string();
    else reader.skip(tag & 7);
  }
  const { 1: first = 0, 2: second = 0 } = numbers;
  const empty = numbers[1] === undefined && numbers[2] === undefined;
  switch (shape.kind) {
    case "quantity":
      return texts[1] || "0";
    case "time":
      return empty ? null : formatTime(Number(first) * 1000);
    case "microTime":
      return empty ? null : formatMicroTime(Number(first) * 1e6 + Math.floor(Number(second) / 1000));
    case "duration":
      return formatDuration(BigInt(first));
    case "intOrString":
      return first === 1 ? (texts[3] ?? "") : second;
    default:
      return texts[1] === undefined ? null : embedded(texts[1]);
  }
}

/** Parses JSON inside bytes. */
function embedded(text: string): unknown {
  if (text === "") return null;
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new WireError("embedded object is not JSON", { cause });
  }
}

function decodeSchemaOr(reader: WireReader, kind: string, depth: number): unknown {
  const schema = typeNamed("apiextensions/v1.JSONSchemaProps") as ObjectType;
  let allows: boolean | undefined;
  let one: unknown;
  const many: unknown[] = [];
  while (!reader.done) {
    const tag = reader.uint32();
    if ((tag & 7) === varint) allows = reader.int64() !== 0;
    else if ((tag & 7) !== delimited) reader.skip(tag & 7);
    else if (kind === "schemaOrStrings" && tag >>> 3 === 2) many.push(reader.string());
    else {
      const decoded = decodeMessage(reader.message(), schema, {}, depth + 1);
      if (tag >>> 3 === 2 && kind === "schemaOrArray") many.push(decoded);
      else one = decoded;
    }
  }
  if (one !== undefined) return one;
  return kind === "schemaOrBool" ? (allows ?? false) : many;
}
