/** Objects with properties that are still JSON text, which no reader can tell. */
import { hasNoNulls, withoutNullMembers } from "../meta/nulls.js";
import { repeatsIn, type SharedMembers } from "./shared-members.js";
import type { Slab } from "./slab.js";

/** Lets a subclass's constructor run on an existing object, so that the subclass's private fields are added to that object. */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is how a private field gets onto a plain object
    return object;
  }
}

/** The state of a section: undefined if it is still text, null if another value was assigned to its property. */
type Value = object | null | undefined;

const numberBytes = 4;

/** A section's key, and the members that its value may share with other objects; undefined if the value may be changed. */
interface SectionName {
  readonly key: string;
  readonly shared: SharedMembers | undefined;
}

/**
 * Keeps the text of an object's sections in private fields of that object, which stays plain: its prototype is
 * Object.prototype, and keys, spread, structuredClone and deep equality do not see the fields. A WeakMap would do
 * the same at ten times the cost.
 *
 * Invariants:
 * 1. `#block`, if set, holds at `#at`: the number of sections; for each, its offset from `#at` and its length; then the
 *    texts.
 * 2. `#values` has one entry per section. If it is unset, no section was read. If `#block` is unset, no section is
 *    text.
 */
class Sections extends Carrier {
  #block: Buffer | undefined;
  #at: number;
  #values: Value[] | undefined;

  constructor(object: object, block: Buffer, at: number) {
    super(object);
    this.#block = block;
    this.#at = at;
    this.#values = undefined;
  }

  /** Decodes on the first read, and gives the same object on each later one. Drops the text with the last section. */
  static read(receiver: object, index: number, { key, shared }: SectionName): unknown {
    const object = Sections.#holder(receiver);
    const known = object.#values?.[index];
    if (known !== undefined) return known;
    const repeats = shared && repeatsIn(object as object, key);
    const value =
      (repeats && shared.at(object.#block as Buffer, object.#startOf(index), repeats)) ?? object.#parsed(index);
    object.#settle(index, value);
    return value;
  }

  /** Behaves like an assignment to a plain property: the property becomes an ordinary one. */
  static write(receiver: object, key: string, index: number, value: unknown): void {
    if (#values in receiver) {
      if (!Object.isExtensible(receiver) && Object.getOwnPropertyDescriptor(receiver, key)?.configurable !== true)
        throw new TypeError(`Cannot assign to read only property '${key}' of object '#<Object>'`);
      receiver.#settle(index, null);
    }
    Object.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
  }

  /** For each section its value, or the length of its text; undefined if the object has no sections. */
  static all(object: object): readonly (object | null | number)[] | undefined {
    if (!(#values in object)) return undefined;
    const block = object.#block;
    if (block === undefined) return object.#values as (object | null)[];
    return Array.from({ length: block.readInt32LE(object.#at) }, (_, index) => {
      const value = object.#values?.[index];
      return value === undefined ? lengthOf(block, object.#at, index) : value;
    });
  }

  /** The object with the fields. It is not the receiver if a property is read through a prototype chain. */
  static #holder(receiver: object): Sections {
    let object = receiver;
    while (!(#values in object)) object = Object.getPrototypeOf(object) as object;
    return object;
  }

  #startOf(index: number): number {
    return startOf(this.#block as Buffer, this.#at, index);
  }

  #parsed(index: number): object {
    const block = this.#block as Buffer;
    const start = this.#startOf(index);
    const text = block.toString("utf8", start, start + lengthOf(block, this.#at, index));
    const parsed = JSON.parse(text) as object;
    return hasNoNulls(this as object) ? withoutNullMembers(parsed, text) : parsed;
  }

  #settle(index: number, value: object | null): void {
    const block = this.#block;
    this.#values ??= Array.from({ length: block === undefined ? 0 : block.readInt32LE(this.#at) }, () => undefined);
    this.#values[index] = value;
    if (!this.#values.includes(undefined)) this.#block = undefined;
  }
}

function startOf(block: Buffer, at: number, index: number): number {
  return at + block.readInt32LE(at + (1 + 2 * index) * numberBytes);
}

function lengthOf(block: Buffer, at: number, index: number): number {
  return block.readInt32LE(at + (2 + 2 * index) * numberBytes);
}

/** The view for util.inspect, and so for console.log: the data, without the getters. */
function asPlainData(this: object): object {
  return { ...this };
}

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");
/** An accessor, because the engine then stores it with the shape and not in each object. */
const inspectDescriptor: PropertyDescriptor = { get: () => asPlainData, enumerable: false, configurable: true };

/** An object of one kind has few sections; one with very many must not fill the memory of its decoder. */
const mostShared = 64;

/** The properties of the objects of one decoder. Objects with the same key as their n-th section share one shape in the engine. */
export class SectionProperties {
  readonly #descriptors: Map<string, PropertyDescriptor>[] = [];
  readonly #shared: SharedMembers | undefined;

  /** `shared`: for objects that nobody will change. */
  constructor(shared?: SharedMembers) {
    this.#shared = shared;
  }

  /** Adds a property to the object that will be read from its n-th section. */
  add(object: object, key: string, index: number): void {
    if (index === 0) Object.defineProperty(object, inspectSymbol, inspectDescriptor);
    Object.defineProperty(object, key, this.#descriptor(key, index));
  }

  #descriptor(key: string, index: number): PropertyDescriptor {
    const known = this.#descriptors[index]?.get(key);
    if (known !== undefined) return known;
    const descriptor = sectionDescriptor({ key, shared: this.#shared }, index);
    if (index >= mostShared) return descriptor;
    const byKey = (this.#descriptors[index] ??= new Map());
    if (byKey.size < mostShared) byKey.set(key, descriptor);
    return descriptor;
  }
}

function sectionDescriptor(name: SectionName, index: number): PropertyDescriptor {
  return {
    get(this: object) {
      return Sections.read(this, index, name);
    },
    set(this: object, value: unknown) {
      Sections.write(this, name.key, index, value);
    },
    enumerable: true,
    configurable: true,
  };
}

/** The positions of the sections of an object being decoded: valid JSON objects and arrays, in the order of their keys. */
export interface Extents {
  count: number;
  readonly starts: number[];
  readonly ends: number[];
}

/** Copies the texts of an object's sections, whose properties have been added, and makes them readable. */
export function keepSections(object: object, { count, starts, ends }: Extents, bytes: Buffer, slab: Slab): void {
  let length = (1 + 2 * count) * numberBytes;
  let to = length;
  for (let i = 0; i < count; i++) length += (ends[i] as number) - (starts[i] as number);
  const at = slab.reserve(length);
  const { block } = slab;
  block.writeInt32LE(count, at);
  for (let i = 0; i < count; i++) {
    const start = starts[i] as number;
    const end = ends[i] as number;
    block.writeInt32LE(to, at + (1 + 2 * i) * numberBytes);
    block.writeInt32LE(end - start, at + (2 + 2 * i) * numberBytes);
    to += bytes.copy(block, at + to, start, end);
  }
  new Sections(object, block, at);
}

const objectHeader = 24;
const slot = 8;

/**
 * An estimate of the bytes of memory that a JSON value takes, as if no string were shared. A section that is still text
 * counts as text, and stays text.
 */
export function estimatedBytes(value: unknown): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return slot;
  let bytes = objectHeader;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) bytes += slot + estimatedBytes(item);
    return bytes;
  }
  const sections = Sections.all(value);
  const lazy = sections === undefined ? undefined : new Set(lazyKeys(value));
  for (const section of sections ?? [])
    bytes += slot + (typeof section === "number" ? section : estimatedBytes(section));
  for (const key of Object.keys(value))
    if (lazy?.has(key) !== true) bytes += slot + estimatedBytes((value as Record<string, unknown>)[key]);
  return bytes;
}

/** The properties that are read through a section. */
function lazyKeys(object: object): string[] {
  return Object.keys(object).filter((key) => Object.getOwnPropertyDescriptor(object, key)?.get !== undefined);
}
