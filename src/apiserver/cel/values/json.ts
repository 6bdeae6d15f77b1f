/** Views JSON without a schema as values, converted only where it is read; and turns values into JSON. */
import { exactInteger } from "../../../api/values/exact-json.js";
import type { Meter } from "./meter.js";
import { durationText, timestampText } from "./times.js";
import { CelList, CelMap, Duration, ErrorValue, Optional, Timestamp, Uint, type Value } from "./value.js";

/** The value of JSON. Whole numbers become ints, as Go reads them. */
export function fromJson(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "bigint") return value;
  if (typeof value !== "object") return value as string | boolean;
  return Array.isArray(value) ? new JsonList(value, fromJson) : new JsonMap(value as Record<string, unknown>, fromJson);
}

/** Gives the value of a part of JSON. */
type Reading = (json: unknown) => Value;

export class JsonList extends CelList {
  readonly #items: readonly unknown[];
  readonly #read: Reading;

  constructor(items: readonly unknown[], read: Reading) {
    super();
    this.#items = items;
    this.#read = read;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return this.#read(this.#items[index]);
  }
}

export class JsonMap extends CelMap {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #read: Reading;
  #keys: readonly string[] | undefined;

  constructor(members: Readonly<Record<string, unknown>>, read: Reading) {
    super();
    this.#members = members;
    this.#read = read;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#members, key)) return undefined;
    const member = this.#members[key];
    return member === undefined ? undefined : this.#read(member);
  }

  keys(): readonly string[] {
    this.#keys ??= Object.keys(this.#members).filter((name) => this.#members[name] !== undefined);
    return this.#keys;
  }
}

/** A value as JSON; an ErrorValue if JSON cannot express it. A small value that shares one part many times may be large as JSON. */
export function toJson(value: Value, meter: Meter): unknown {
  meter.read(typeof value === "string" || value instanceof Uint8Array ? value.length : 0);
  if (typeof value === "bigint") return exactInteger(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof CelList) return listJson(value, meter);
  if (value instanceof CelMap) return mapJson(value, meter);
  if (value instanceof Uint) return exactInteger(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Optional) return value.value === undefined ? null : toJson(value.value, meter);
  return value instanceof ErrorValue ? value : new ErrorValue("a value of this type cannot be written as JSON");
}

function listJson(list: CelList, meter: Meter): unknown {
  const items: unknown[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = toJson(list.at(i), meter);
    if (item instanceof ErrorValue) return item;
    items.push(item);
  }
  return items;
}

function mapJson(map: CelMap, meter: Meter): unknown {
  const members: (readonly [string, unknown])[] = [];
  for (const key of map.keys()) {
    if (typeof key !== "string") return new ErrorValue("only text can be a key in JSON");
    const member = toJson(map.get(key) as Value, meter);
    if (member instanceof ErrorValue) return member;
    members.push([key, member]);
  }
  // no assignment: a key may be __proto__
  return Object.fromEntries(members);
}
