/** The cache: objects by key, with indices. */
import { type StoreEntry, type IndexFunction, IndexTable, none } from "./index-table.js";
import { type KeyFunction, cacheKey, type NamedObject, resourceVersionOf } from "./key.js";

export type Indexers<T> = Readonly<Record<string, IndexFunction<T>>>;

/** The name of the index that listers use; every informer of a factory has it. */
export const namespaceIndex = "namespace";

export function namespaceIndexFunction(object: NamedObject): readonly string[] {
  return [object.metadata.namespace ?? ""];
}

/** The reads of a cache: all of them synchronous, none of them copying. */
export interface ReadonlyStore<T> {
  readonly size: number;
  /** The revision up to which the store is known to mirror the server; "" before the first list. Moves with bookmarks too. */
  readonly lastStoreSyncResourceVersion: string;
  get(key: string): T | undefined;
  has(key: string): boolean;
  list(): T[];
  listKeys(): string[];
  /** The objects filed under a value; throws if there is no such index. */
  byIndex(indexName: string, value: string): T[];
  /** The keys filed under a value, sorted; throws if there is no such index. */
  indexKeys(indexName: string, value: string): string[];
  /** The objects that share at least one value of this index with the given one, each once. */
  index(indexName: string, object: T): T[];
  /** All values of an index, empty if there is no such index. */
  listIndexFuncValues(indexName: string): string[];
  readonly indexers: Indexers<T>;
  /** The number of values of each index, and its estimated memory beside the objects. */
  readonly indexSizes: readonly IndexSize[];
}

export interface IndexSize {
  readonly index: string;
  readonly values: number;
  readonly bytes: number;
}

export interface IndexerOptions<T> {
  readonly key?: KeyFunction<T>;
  readonly indexers?: Indexers<T>;
  /** Called for an index function that threw; the object is then in no entry of that index. Without this the write throws. */
  readonly onIndexError?: (error: unknown, indexName: string, object: T) => void;
}

/**
 * The indexer's contract: items and indices change together; readers see one state, because every method is
 * synchronous. Objects are shared with all readers and must not be modified; old index values are computed from the old
 * object.
 *
 * Invariants:
 * 1. `#entries.get(k).key === k`, and k is the key of its object.
 * 2. Each table of `#tables` files exactly the entries of `#entries`, under the values of their objects.
 */
export class Indexer<T> implements ReadonlyStore<T> {
  readonly #keyOf: KeyFunction<T>;
  readonly #onIndexError: IndexerOptions<T>["onIndexError"];
  #entries = new Map<string, StoreEntry<T>>();
  #tables = new Map<string, IndexTable<T>>();
  #resourceVersion = "";

  constructor(options: IndexerOptions<T> = {}) {
    this.#keyOf = options.key ?? (cacheKey as unknown as KeyFunction<T>);
    this.#onIndexError = options.onIndexError;
    this.addIndexers(options.indexers ?? {});
  }

  get size(): number {
    return this.#entries.size;
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#resourceVersion;
  }

  get indexers(): Indexers<T> {
    return Object.fromEntries([...this.#tables].map(([name, table]) => [name, table.valuesOf]));
  }

  get indexSizes(): readonly IndexSize[] {
    return Array.from(this.#tables, ([index, table]) => ({ index, values: table.size, bytes: table.estimatedBytes }));
  }

  keyOf(object: T): string {
    return this.#keyOf(object);
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.object;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  list(): T[] {
    const objects: T[] = [];
    for (const entry of this.#entries.values()) objects.push(entry.object);
    return objects;
  }

  listKeys(): string[] {
    return [...this.#entries.keys()];
  }

  byIndex(indexName: string, value: string): T[] {
    const objects: T[] = [];
    for (const entry of this.#table(indexName).entriesOf(value)) objects.push(entry.object);
    return objects;
  }

  indexKeys(indexName: string, value: string): string[] {
    return Array.from(this.#table(indexName).entriesOf(value), (entry) => entry.key).sort();
  }

  index(indexName: string, object: T): T[] {
    const table = this.#table(indexName);
    const found = new Set<StoreEntry<T>>();
    for (const value of checked(table.valuesOf(object), indexName))
      for (const entry of table.entriesOf(value)) found.add(entry);
    return Array.from(found, (entry) => entry.object);
  }

  listIndexFuncValues(indexName: string): string[] {
    return [...(this.#tables.get(indexName)?.values() ?? [])];
  }

  /**
   * Also on a populated store: its contents are indexed at once. An index that is there already, with the same function,
   * stays as it is; a name that another function has is an error, and nothing is added.
   */
  addIndexers(indexers: Indexers<T>): void {
    const added = Object.entries(indexers).filter(([name, valuesOf]) => this.#tables.get(name)?.valuesOf !== valuesOf);
    for (const [name] of added)
      if (this.#tables.has(name)) throw new Error(`indexer conflict: an index named ${JSON.stringify(name)} exists`);
    const tables = added.map(([name, valuesOf]) => [name, this.#indexed(name, valuesOf, this.#entries)] as const);
    for (const [name, table] of tables) this.#tables.set(name, table);
  }

  /** Adds or updates; gives the previous object. A caller that knows the key may pass it. */
  put(object: T, key: string = this.#keyOf(object)): T | undefined {
    const previous = this.#put(key, object);
    const resourceVersion = resourceVersionOf(object);
    if (resourceVersion !== undefined) this.#resourceVersion = resourceVersion;
    return previous;
  }

  #put(key: string, object: T): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const added = { key, object };
      this.#refile(this.#tables, added, { next: object });
      this.#entries.set(key, added);
      return undefined;
    }
    const previous = entry.object;
    this.#refile(this.#tables, entry, { previous, next: object });
    entry.object = object;
    return previous;
  }

  /** Gives the removed object. `last` is the state that came with the deletion; its revision becomes the store's. */
  delete(key: string, last?: T): T | undefined {
    const resourceVersion = resourceVersionOf(last);
    if (resourceVersion !== undefined) this.#resourceVersion = resourceVersion;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#refile(this.#tables, entry, { previous: entry.object });
    this.#entries.delete(key);
    return entry.object;
  }

  /** Replaces everything at once. Not for long lists in a running loop: see `beginReplace`. */
  replace(objects: Iterable<T>, resourceVersion: string): void {
    const replacement = this.beginReplace();
    for (const object of objects) replacement.put(this.#keyOf(object), object);
    replacement.commit(resourceVersion);
  }

  /**
   * Prepares new contents beside the old ones, in as many slices as the caller likes; readers see the old contents
   * until `commit` and the new ones after it. The store must not be written to in between, except for `addIndexers`.
   */
  beginReplace(): Replacement<T> {
    const entries = new Map<string, StoreEntry<T>>();
    const tables = new Map([...this.#tables].map(([name, { valuesOf }]) => [name, new IndexTable(valuesOf)] as const));
    return {
      put: (key, object) => {
        const entry = entries.get(key);
        const target = entry ?? { key, object };
        this.#refile(tables, target, entry === undefined ? { next: object } : { previous: entry.object, next: object });
        const previous = entry?.object;
        target.object = object;
        if (entry === undefined) entries.set(key, target);
        return previous;
      },
      has: (key) => entries.has(key),
      commit: (resourceVersion) => {
        for (const [name, { valuesOf }] of this.#tables) {
          if (!tables.has(name)) tables.set(name, this.#indexed(name, valuesOf, entries));
        }
        this.#entries = entries;
        this.#tables = tables;
        this.#resourceVersion = resourceVersion;
      },
    };
  }

  /** Records that the store lacks no change up to this revision. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** Current contents, key by key. Not a snapshot: do not write while iterating. */
  entries(): IterableIterator<Readonly<StoreEntry<T>>> {
    return this.#entries.values();
  }

  /** Throws if an invariant does not hold. For tests. */
  assertSound(): void {
    for (const [key, entry] of this.#entries)
      if (entry.key !== key || this.#keyOf(entry.object) !== key) throw new Error(`invariant 1: ${key}`);
    for (const [name, table] of this.#tables) {
      const expected = new Map<string, Set<string>>();
      for (const entry of this.#entries.values())
        for (const value of table.valuesOf(entry.object))
          expected.set(value, (expected.get(value) ?? new Set<string>()).add(entry.key));
      const values = [...table.values()];
      if (values.length !== expected.size) throw new Error(`invariant 2: values of ${name}`);
      for (const value of values) {
        const keys = Array.from(table.entriesOf(value), (entry) => entry.key);
        const want = expected.get(value);
        if (want?.size !== keys.length || !keys.every((key) => want.has(key)))
          throw new Error(`invariant 2: ${name}=${value}`);
        for (const entry of table.entriesOf(value))
          if (this.#entries.get(entry.key) !== entry) throw new Error(`invariant 2: stale entry ${entry.key}`);
      }
    }
  }

  /** Computes all values before it changes any table, so that an index function that throws leaves every table as it was. */
  #refile(
    tables: ReadonlyMap<string, IndexTable<T>>,
    entry: StoreEntry<T>,
    { previous, next }: { readonly previous?: T; readonly next?: T },
  ): void {
    if (tables.size === 0) return;
    const values: (readonly string[])[] = [];
    for (const [name, table] of tables) {
      const before = previous === undefined ? none : this.#valuesOf(name, table.valuesOf, previous);
      const after = next === undefined ? none : this.#valuesOf(name, table.valuesOf, next);
      // most stores have only the namespace index
      if (tables.size === 1) return table.refile(entry, before, after);
      values.push(before, after);
    }
    let i = 0;
    for (const table of tables.values()) {
      table.refile(entry, values[i] as readonly string[], values[i + 1] as readonly string[]);
      i += 2;
    }
  }

  #valuesOf(name: string, valuesOf: IndexFunction<T>, object: T): readonly string[] {
    if (this.#onIndexError === undefined) return checked(valuesOf(object), name);
    try {
      return checked(valuesOf(object), name);
    } catch (error) {
      this.#onIndexError(error, name, object);
      return none;
    }
  }

  #indexed(name: string, valuesOf: IndexFunction<T>, entries: ReadonlyMap<string, StoreEntry<T>>): IndexTable<T> {
    const table = new IndexTable(valuesOf);
    for (const entry of entries.values()) table.refile(entry, none, this.#valuesOf(name, valuesOf, entry.object));
    return table;
  }

  #table(name: string): IndexTable<T> {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Error(`Index with name ${name} does not exist`);
    return table;
  }
}

/** An index function that forgets to return is an error like any other: the object is cached all the same. */
function checked(values: readonly string[], name: string): readonly string[] {
  if (Array.isArray(values)) return values;
  throw new TypeError(`the index function ${JSON.stringify(name)} gave no array of values`);
}

/** New contents under construction. */
export interface Replacement<T> {
  /** Gives the object that the new contents had under this key before. */
  put(key: string, object: T): T | undefined;
  has(key: string): boolean;
  commit(resourceVersion: string): void;
}
