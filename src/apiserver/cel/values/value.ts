/** The values that expressions work with. JSON and library values stand behind `CelList`, `CelMap` and `Opaque`, so nothing is converted before it is looked at. */
import type { Type } from "../checker/types.js";

/** A number without a sign, of 64 bits. A plain bigint is an int, a plain number is a double. */
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
  /** In minutes: how it was written, and is written again. */
  readonly zone: number;

  constructor(nanoseconds: bigint, zone = 0) {
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }
}

export class Optional {
  /** Undefined: there is none. */
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }

  static readonly none: Optional = new Optional(undefined);
}

/** An error as a value: operators may pass it on or, as `||` does, do without it. */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export const noSuchOverload: Failure = new Failure("no such overload");

/** A type as a value: what `type(x)` gives. */
export class TypeValue {
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }
}

export abstract class CelList {
  abstract readonly size: number;

  /** Of an index that is within the size. */
  abstract at(index: number): Value;

  /** How the list is compared and appended to, where that is not by position. */
  readonly identity: ListIdentity | undefined = undefined;
}

/** Lists whose items are known by something other than their position: sets, and lists that are maps by some of their fields. */
export interface ListIdentity {
  keyOf(item: Value): string | Failure;
  of(items: readonly Value[]): CelList;
}

export abstract class CelMap {
  abstract readonly size: number;

  /** Undefined if there is no such key. */
  abstract get(key: Value): Value | undefined;

  abstract keys(): readonly Value[];
}

/** A value of a library's type. */
export abstract class Opaque {
  abstract readonly type: Type;

  /** Asked of a value of the same type. */
  abstract equals(other: this): boolean;

  /** The size that costs are reckoned by. */
  get size(): number {
    return 1;
  }
}

export type Literal = null | boolean | bigint | Uint | number | string | Uint8Array;

export type Value = Literal | Duration | Timestamp | Optional | TypeValue | CelList | CelMap | Opaque | Failure;

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

/** Made by expressions. Numbers that are equal are one key, whatever their types. */
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

  /** While the map is being made. False if the value cannot be a key. */
  set(key: Value, value: Value): boolean {
    const name = keyName(key);
    if (name === undefined) return false;
    this.#entries.set(name, [key, value]);
    return true;
  }
}

/** Undefined for what cannot be a key. */
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

export const isFailure = (value: Value): value is Failure => value instanceof Failure;
