/**
 * Objects of built-in kinds as a server written in Go would write them again after reading: what the type does not know is gone, zero
 * values are left out or filled in as the type says, quantities and times are canonical. From codecs and patches; to the registry.
 */
import type { FieldType, ObjectType, Shape } from "../../api/schema/index.js";
import { GoTypeError, scalarForm } from "./go-scalars.js";
import { goTypeText, jsonTypeText } from "./go-types.js";
import { dottedPath } from "./json-text.js";
import { schemaForm, zeroOf } from "./go-zero.js";

/** Parts that are known to have the form of a type, and so need not be looked at again: objects are shared between versions. */
const inForm = new WeakMap<object, ObjectType>();

export interface Formed {
  readonly object: Readonly<Record<string, unknown>>;
  /** Paths of fields that the type does not have; they are gone. */
  readonly unknown: readonly string[];
}

/** Throws a GoTypeError where a value does not fit its type. Gives the object itself if it has the form already. */
export function goForm(value: Readonly<Record<string, unknown>>, type: ObjectType): Formed {
  const reading = new Reading();
  const object = reading.object(value, type) as Readonly<Record<string, unknown>>;
  return { object, unknown: reading.unknown };
}

export class Reading {
  readonly unknown: string[] = [];
  readonly #path: (string | number)[] = [];
  /** The structs on the way, for messages. */
  readonly #structs: string[] = [];

  object(value: unknown, type: ObjectType): unknown {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw this.#mismatch(value, `${packageName(type)}.${type.name}`);
    }
    if (inForm.get(value) === type) return value;
    const record = value as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    let known = 0;
    let same = true;
    this.#structs.push(type.name);
    for (const [name, field] of type.properties) {
      const present = Object.hasOwn(record, name);
      if (present) known++;
      const formed = this.#field(present ? record[name] : undefined, name, field);
      if (formed !== undefined) result[name] = formed;
      if (formed !== (present ? record[name] : undefined) || (present && formed === undefined)) same = false;
    }
    this.#structs.pop();
    if (known < Object.keys(record).length) {
      same = false;
      for (const name of Object.keys(record)) {
        if (!type.properties.has(name)) this.unknown.push(dottedPath([...this.#path, name]));
      }
    }
    const formed = same ? value : result;
    inForm.set(formed, type);
    return formed;
  }

  /** Undefined: not written. */
  #field(value: unknown, name: string, field: FieldType): unknown {
    if (value === undefined || value === null) return zeroOf(field);
    this.#path.push(name);
    const formed = this.value(value, field.shape);
    this.#path.pop();
    return field.omitEmpty && !field.pointer && isEmpty(formed, field.shape) ? undefined : formed;
  }

  value(value: unknown, shape: Shape): unknown {
    switch (shape.kind) {
      case "object":
        return this.object(value, shape.type);
      case "list":
        return this.#list(value, shape);
      case "map":
        return this.#map(value, shape);
      case "rawExtension":
      case "fieldsV1":
      case "json":
        return value;
      case "schemaOrArray":
      case "schemaOrBool":
      case "schemaOrStrings":
        return schemaForm(value, (inner, type) => this.object(inner, type));
      default: {
        const formed = scalarForm(value, shape);
        if (formed === undefined) throw this.#mismatch(value, goTypeText(shape));
        return formed;
      }
    }
  }

  #list(value: unknown, shape: Shape & { readonly kind: "list" }): unknown {
    if (!Array.isArray(value)) throw this.#mismatch(value, goTypeText(shape));
    let same = true;
    const items = value.map((item: unknown, index) => {
      this.#path.push(index);
      const formed = item === null ? itemZero(shape.items) : this.value(item, shape.items);
      this.#path.pop();
      if (formed !== item) same = false;
      return formed;
    });
    return same ? value : items;
  }

  #map(value: unknown, shape: Shape & { readonly kind: "map" }): unknown {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw this.#mismatch(value, goTypeText(shape));
    }
    let same = true;
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      this.#path.push(key);
      const formed = item === null ? itemZero(shape.items) : this.value(item, shape.items);
      this.#path.pop();
      if (formed !== item) same = false;
      Object.defineProperty(result, key, { value: formed, enumerable: true, configurable: true, writable: true });
    }
    return same ? value : result;
  }

  #mismatch(value: unknown, type: string): GoTypeError {
    const fields = this.#path.filter((step) => typeof step === "string").join(".");
    const where = fields === "" ? "Go value" : `Go struct field ${this.#structs.at(-1) ?? ""}.${fields}`;
    return new GoTypeError(`json: cannot unmarshal ${jsonTypeText(value)} into ${where} of type ${type}`);
  }
}

function packageName(type: ObjectType): string {
  return type.package.slice(type.package.indexOf("/") + 1);
}

function isEmpty(value: unknown, shape: Shape): boolean {
  switch (shape.kind) {
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return Object.keys(value as object).length === 0;
    case "string":
    case "bytes":
      return value === "";
    case "boolean":
      return value === false;
    case "int32":
    case "int64":
    case "double":
      return value === 0;
    default:
      return false;
  }
}

function itemZero(shape: Shape): unknown {
  return zeroOf({ shape, pointer: false, omitEmpty: false, omitZero: false });
}
