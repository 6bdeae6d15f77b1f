/**
 * Views JSON through a schema as values: integers, times, sets, and members under the names that expressions use.
 * Converted only where it is read.
 */
import { isNumeric } from "../../../api/values/exact-json.js";
import { parseDuration } from "../../../api/index.js";
import { fromJson } from "../../cel/values/json.js";
import { parseTimestamp } from "../../cel/values/times.js";
import {
  ArrayList,
  CelList,
  CelMap,
  Duration,
  ErrorValue,
  type ListIdentity,
  noSuchOverload,
  Timestamp,
  Uint,
  type Value,
} from "../../cel/values/value.js";
import { additionalSchema, type PlainObject, type StructuralSchema } from "../schema/json-schema.js";
import { isRecord, own } from "../../../base/members.js";
import { escapedName, unescapedName } from "../../cel/values/names.js";

const text: StructuralSchema = { type: "string" };

/** An object has kind and apiVersion, and rules may read only the names of its metadata. */
export function withTypeMeta(schema: StructuralSchema): StructuralSchema {
  const metadata: StructuralSchema = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata } };
}

export function celValue(value: unknown, schema: StructuralSchema): Value {
  if (value === null || value === undefined)
    return schema.nullable === true ? null : new ErrorValue("invalid data, got null for schema with nullable=false");
  if (schema["x-kubernetes-int-or-string"] === true)
    return typeof value === "string" ? value : (wholeNumber(value) ?? unfit("XIntOrString"));
  switch (schema.type) {
    case "object":
      return isRecord(value) ? new ObjectValue(value, schema) : unfit("a map");
    case "array":
      return Array.isArray(value) && schema.items !== undefined
        ? listOf(value, schema, schema.items)
        : unfit("an array");
    case "string":
      return typeof value === "string" ? celText(value, schema.format) : unfit("string");
    case "number":
      return isNumeric(value) ? Number(value) : unfit("float");
    case "integer":
      return wholeNumber(value) ?? unfit("int");
    case "boolean":
      return typeof value === "boolean" ? value : unfit("bool");
    default:
      return fromJson(value);
  }
}

const wholeNumber = (value: unknown): bigint | undefined =>
  typeof value === "bigint" || Number.isInteger(value) ? BigInt(value as number | bigint) : undefined;

const unfit = (wanted: string): ErrorValue => new ErrorValue(`invalid data, expected ${wanted}`);

class ObjectValue extends CelMap {
  readonly #value: PlainObject;
  readonly #schema: StructuralSchema;
  readonly #isObject: boolean;

  constructor(value: PlainObject, schema: StructuralSchema) {
    super();
    this.#value = value;
    this.#schema = schema["x-kubernetes-embedded-resource"] === true ? withTypeMeta(schema) : schema;
    this.#isObject = this.#schema.properties !== undefined;
  }

  get size(): number {
    return Object.keys(this.#value).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return noSuchOverload;
    const name = this.#isObject ? unescapedName(key) : key;
    if (name === undefined || !Object.hasOwn(this.#value, name)) return undefined;
    const member = this.#value[name];
    const schema = this.#schemaOf(name);
    if (schema === undefined || (this.#isObject && (member === null || member === undefined))) return undefined;
    return celValue(member, schema);
  }

  keys(): readonly Value[] {
    const names = Object.keys(this.#value).filter((name) => this.#schemaOf(name) !== undefined);
    return this.#isObject ? names.map((name) => escapedName(name) ?? name) : names;
  }

  #schemaOf(name: string): StructuralSchema | undefined {
    const { properties } = this.#schema;
    return properties === undefined ? additionalSchema(this.#schema) : own(properties, name);
  }
}

class SchemaList extends CelList {
  readonly #items: readonly unknown[];
  readonly #schema: StructuralSchema;
  override readonly identity: ListIdentity | undefined;

  constructor(items: readonly unknown[], schema: StructuralSchema, identity: ListIdentity | undefined) {
    super();
    this.#items = items;
    this.#schema = schema;
    this.identity = identity;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return celValue(this.#items[index], this.#schema);
  }
}

/** The result of adding to a set or to a list of type map. */
class KeyedList extends ArrayList {
  override readonly identity: ListIdentity;

  constructor(items: readonly Value[], identity: ListIdentity) {
    super(items);
    this.identity = identity;
  }
}

function listOf(items: readonly unknown[], schema: StructuralSchema, itemSchema: StructuralSchema): Value {
  return new SchemaList(items, itemSchema, identityOf(schema));
}

function identityOf(schema: StructuralSchema): ListIdentity | undefined {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return undefined;
  const fields = (schema["x-kubernetes-list-map-keys"] ?? []).map((name) => escapedName(name) ?? name);
  const identity: ListIdentity = {
    keyOf: type === "set" ? keyText : (item) => fieldsText(item, fields),
    of: (items) => new KeyedList(items, identity),
  };
  return identity;
}

function fieldsText(item: Value, fields: readonly string[]): string | ErrorValue {
  if (!(item instanceof CelMap)) return noSuchOverload;
  const parts: string[] = [];
  for (const field of fields) {
    const part = keyText(item.get(field) ?? null);
    if (part instanceof ErrorValue) return part;
    parts.push(part);
  }
  return JSON.stringify(parts);
}

/** A text that is the same for equal scalars. */
function keyText(item: Value): string | ErrorValue {
  if (item instanceof ErrorValue) return item;
  if (typeof item === "bigint" || typeof item === "number") return `n${item}`;
  if (item === null || typeof item !== "object") return `${typeof item} ${String(item)}`;
  if (item instanceof Uint) return `n${item.value}`;
  if (item instanceof Timestamp || item instanceof Duration) return `t${item.nanoseconds}`;
  return item instanceof Uint8Array ? `b${Buffer.from(item).toString("hex")}` : noSuchOverload;
}

/**
 * The value of a text in a format. A text that does not fit its format is a string: schema validation has reported it.
 */
function celText(value: string, format: string | undefined): Value {
  switch (format) {
    case "date-time":
      return (
        parseTimestamp(value.toUpperCase().replace(" ", "T")) ??
        new ErrorValue(`Invalid date-time formatted string ${value}`)
      );
    case "date":
      return parseTimestamp(`${value}T00:00:00Z`) ?? new ErrorValue(`Invalid date formatted string ${value}`);
    case "duration":
      return durationOf(value);
    case "byte":
      return new Uint8Array(Buffer.from(value, "base64"));
    default:
      return value;
  }
}

function durationOf(value: string): Value {
  try {
    return new Duration(parseDuration(value));
  } catch {
    return new ErrorValue(`Invalid duration ${value}`);
  }
}
