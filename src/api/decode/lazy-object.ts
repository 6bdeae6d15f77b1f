/** Objects some of whose properties are still JSON text, though nobody can tell. Made by the decoder; read by everyone. */

/** Takes another object's place in a subclass's constructor, so that the subclass's private field lands on that object. */
class Carrier {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is how a private field gets onto a plain object
    return object;
  }
}

/** JSON text that nobody has asked for, or the object or array that it stands for; undefined once it was replaced. */
type Section = string | object | undefined;

/**
 * Keeps the sections of an object in a private field of that object, which stays plain: its prototype is Object.prototype, and
 * neither keys, nor spread, nor structuredClone, nor deep equality see the field. A WeakMap would do the same at ten times the cost.
 */
class Sections extends Carrier {
  readonly #sections: Section[];

  constructor(object: object, sections: Section[]) {
    super(object);
    this.#sections = sections;
  }

  /** Decodes on the first read; afterwards it is the same object each time, and the text is gone. */
  static read(receiver: object, index: number): unknown {
    const sections = Sections.#of(receiver);
    const section = sections[index];
    if (typeof section !== "string") return section;
    const value = JSON.parse(section) as object;
    sections[index] = value;
    return value;
  }

  /** The n-th section, if it is still text. */
  static text(object: object, index: number): string | undefined {
    if (!(#sections in object)) return undefined;
    const section = object.#sections[index];
    return typeof section === "string" ? section : undefined;
  }

  /** All sections, as they are; undefined if the object has none. */
  static all(object: object): readonly Section[] | undefined {
    return #sections in object ? object.#sections : undefined;
  }

  /** As an assignment to a plain property: the object becomes an ordinary one in this respect. */
  static write(receiver: object, key: string, index: number, value: unknown): void {
    if (#sections in receiver) {
      if (!Object.isExtensible(receiver) && Object.getOwnPropertyDescriptor(receiver, key)?.configurable !== true)
        throw new TypeError(`Cannot assign to read only property '${key}' of object '#<Object>'`);
      receiver.#sections[index] = undefined;
    }
    Object.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
  }

  /** The receiver is another object when a property is read through a prototype chain. */
  static #of(receiver: object): Section[] {
    let object = receiver;
    while (!(#sections in object)) object = Object.getPrototypeOf(object) as object;
    return object.#sections;
  }
}

/** The n-th part of an object that is still text; undefined if it was read, or if it never was text. */
export function sectionText(object: object, index: number): string | undefined {
  return Sections.text(object, index);
}

/** Shared by all objects that have this key as their n-th section, so that they also share one shape in the engine. */
const descriptors: Map<string, PropertyDescriptor>[] = [];

function sectionDescriptor(key: string, index: number): PropertyDescriptor {
  const known = descriptors[index]?.get(key);
  if (known !== undefined) return known;
  const descriptor: PropertyDescriptor = {
    get(this: object) {
      return Sections.read(this, index);
    },
    set(this: object, value: unknown) {
      Sections.write(this, key, index, value);
    },
    enumerable: true,
    configurable: true,
  };
  const byKey = descriptors[index] ?? new Map<string, PropertyDescriptor>();
  descriptors[index] = byKey;
  byKey.set(key, descriptor);
  return descriptor;
}

/** What util.inspect, and so console.log, shows: the data, not that it is read through a getter. */
function asPlainData(this: object): object {
  return { ...this };
}

const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");
/** An accessor, because the engine then keeps it with the shape and not in each object. */
const inspectDescriptor: PropertyDescriptor = { get: () => asPlainData, enumerable: false, configurable: true };

/** Parts of an object in the making that are text, in the order of their keys. */
export type SectionTexts = Section[];

/** Gives the object a further property, whose value `text` stands for: valid JSON of an object or array. */
export function addSection(object: object, sections: SectionTexts, key: string, text: string): void {
  if (sections.length === 0) {
    new Sections(object, sections);
    Object.defineProperty(object, inspectSymbol, inspectDescriptor);
  }
  Object.defineProperty(object, key, sectionDescriptor(key, sections.length));
  sections.push(text);
}

const objectHeader = 24;
const slot = 8;

/**
 * About how many bytes of memory a JSON value takes, as if no string were shared: an estimate for people. What is still text is counted as text, and stays text.
 */
export function estimatedBytes(value: unknown): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return slot;
  let bytes = objectHeader;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) bytes += slot + estimatedBytes(item);
    return bytes;
  }
  const texts = Sections.all(value);
  const lazy = texts === undefined ? undefined : new Set(lazyKeys(value));
  for (const section of texts ?? []) bytes += slot + estimatedBytes(section);
  for (const key of Object.keys(value))
    if (lazy?.has(key) !== true) bytes += slot + estimatedBytes((value as Record<string, unknown>)[key]);
  return bytes;
}

/** The properties that are read through a section. */
function lazyKeys(object: object): string[] {
  return Object.keys(object).filter((key) => Object.getOwnPropertyDescriptor(object, key)?.get !== undefined);
}
