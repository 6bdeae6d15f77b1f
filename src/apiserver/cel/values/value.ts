/**
 * The values of expressions. JSON and library values stand behind `CelList`, `CelMap` and `Opaque`, and are converted
 * only where they are read.
 */
import type { Type } from "./types.js";

/** An unsigned number of 64 bits. A plain bigint is an int, a plain number is a double. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Duration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

export class Timestamp {
  /** Since 1970. */
  readonly nanoseconds: bigint;
  /** The offset in minutes with which the time was written, and is written again. */
  readonly zone: number;

  constructor(nanoseconds: bigint, zone = 0) {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }
}

export class Optional {
  /** Undefined for an empty optional. */
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }

  static readonly none: Optional = new Optional(undefined);
}

/** An error as a value: operators pass it on or, as `||` does, absorb it. */
export class ErrorValue {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export const noSuchOverload: ErrorValue = new ErrorValue("no such overload");

/** A type as a value: the result of `type(x)`. */
export class TypeValue {
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }
}

export abstract class CelList {
  abstract readonly size: number;

  /** The item at an index below `size`. */
  abstract at(index: number): Value;

  /** Defines equality and concatenation of the list where these do not go by position. */
  readonly identity: ListIdentity | undefined = undefined;
}

/** The identity of items that does not depend on their position: that of sets, and of lists of type map. */
export interface ListIdentity {
  keyOf(item: Value): string | ErrorValue;
  of(items: readonly Value[]): CelList;
}

export abstract class CelMap {
  abstract readonly size: number;

  /** Undefined if the key is absent. */
  abstract get(key: Value): Value | undefined;

  abstract keys(): readonly Value[];
}

/** A value of a library's type. */
export abstract class Opaque {
  abstract readonly type: Type;

  /** Called only with a value of the same type. */
  abstract equals(other: this): boolean;

  /** The size by which costs are counted. */
  get size(): number {
    return 1;
  }
}

export type Literal = null | boolean | bigint | Uint | number | string | Uint8Array;

export type Value = Literal | Duration | Timestamp | Optional | TypeValue | CelList | CelMap | Opaque | ErrorValue;

export class ArrayList extends CelList {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** A map that an expression made. Equal numbers are the same key, whatever their types. */
export class EntryMap extends CelMap {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const name = keyName(key);
    return name === undefined ? undefined : this.#entries.get(name)?.[1];
  }

  keys(): readonly Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }

  /** Called only while the map is being made. False if `key` cannot be a key. */
  set(key: Value, value: Value): boolean {
    const name = keyName(key);
    if (name === undefined) return false;
    this.#entries.set(name, [key, value]);
    return true;
  }
}

/** Undefined for a value that cannot be a key. */
function keyName(key: Value): string | undefined {
  switch (typeof key) {
    case "string":
      return `s${key}`;
    case "bigint":
      return `n${key}`;
    case "boolean":
      return `b${key}`;
    case "number":
      return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
    default:
      return key instanceof Uint ? `n${key.value}` : undefined;
  }
}

/** A value of a type with fields, made by an expression. */
export class Struct extends EntryMap {
  readonly type: Type;

  constructor(type: Type) {
    super();
    this.type = type;
  }
}
