/** The kinds that the controllers of one cluster read: declared once, shared by all, with the controllers' own writes applied. */
import {
  checkResourceType,
  controllerOf,
  deepFreeze,
  isNotFound,
  type KubeObject,
  metaNamespaceKey,
  objectKey,
  type ResourceType,
  resourceKey,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, type MetricsRegistry, shown, systemClock } from "../../base/index.js";
import {
  type FactoryInformer,
  type IndexFunction,
  namespaceIndex,
  type SharedInformerFactory,
  type Transform,
} from "../../informer/index.js";
import type { RecentObjects } from "./recent-objects.js";
import { type Declared, type KindNeed, newDeclared, OtherShardError, reportCaches } from "./declared.js";
import {
  type CacheListOptions,
  type CacheOptions,
  checkCacheOptions,
  checkListOptions,
  checkNamespaces,
} from "./options.js";

/** An index over the objects of a kind: made by `manager.index`, read by `cache.byIndex`. */
export interface CacheIndex<T extends KubeObject = KubeObject> {
  readonly type: ResourceType<T>;
  /** The function's name, made unique; the journal shows it. */
  readonly name: string;
}

/**
 * Synchronous reads of declared kinds. Objects are shared and must not be modified. A read is never older than the last
 * write that went through a client of the same cache. Reading a kind that was not declared is an error, never a new
 * watch.
 */
export interface CacheReader {
  get<T extends KubeObject>(type: ResourceType<T>, name: ObjectPlace): T | undefined;
  list<T extends KubeObject>(type: ResourceType<T>, options?: CacheListOptions): readonly T[];
  byIndex<T extends KubeObject>(index: CacheIndex<T>, value: string): readonly T[];
  /** The objects whose controller is `owner`, by uid. Only for kinds that a controller owns. */
  ownedBy<T extends KubeObject>(type: ResourceType<T>, owner: KubeObject): readonly T[];
  /** False while the server does not know an optional kind, or its cache is not filled: reads then find nothing. */
  serves(type: ResourceType): boolean;
}

export interface ObjectPlace {
  readonly namespace?: string;
  readonly name: string;
}

/** The index that `ownedBy` uses. */
const controllerIndex = "controller-uid";

const controllersOf = (object: KubeObject): readonly string[] => {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
};

export interface ClusterCacheOptions {
  readonly clock?: Clock;
  readonly metrics?: MetricsRegistry;
  /** The namespaces of kinds that are declared without their own. */
  readonly namespaces?: readonly string[];
  /** The factory's transform of every object, which is also applied to overlaid writes. */
  readonly transform?: Transform<KubeObject>;
  /** If set, only objects of namespaces for which it is true are cached. When its answers change, `relist` is to be called. */
  readonly caches?: (namespace: string) => boolean;
}

/** A kind was read that nobody declared. */
export class UndeclaredKindError extends Error {
  override readonly name = "UndeclaredKindError";
}

export class ClusterCache implements CacheReader {
  readonly #factory: SharedInformerFactory;
  readonly #options: ClusterCacheOptions;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Declared>();
  readonly #failureListeners = new Set<(type: ResourceType, error: unknown) => void>();

  constructor(factory: SharedInformerFactory, options: ClusterCacheOptions = {}) {
    this.#factory = factory;
    checkNamespaces("namespaces", options.namespaces);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    if (options.metrics !== undefined) reportCaches(options.metrics, this.#kinds);
  }

  /**
   * Declares that the kind is read, before the start. The first call for a kind sets its scope; another scope later is
   * an error.
   */
  declare<T extends KubeObject>(type: ResourceType<T>, options: CacheOptions<T> = {}, need?: KindNeed): void {
    checkResourceType("cache", type);
    checkCacheOptions(`the cache of ${type.kind}`, options);
    const key = resourceKey(type);
    const scope = options as unknown as CacheOptions;
    let declared = this.#kinds.get(key);
    if (declared === undefined) {
      const isLimited = this.#options.caches !== undefined && type.scope === "Namespaced" && scope.allShards !== true;
      declared = newDeclared(type, scope, { clock: this.#clock, need, isLimited });
      this.#kinds.set(key, declared);
      for (const namespace of this.#namespacesOf(type, scope))
        declared.informers.set(namespace, this.#informer(declared, namespace));
    } else if (Object.keys(scope).length > 0 && JSON.stringify(scope) !== JSON.stringify(declared.options)) {
      throw new Error(
        `the cache of ${key} is already declared with another scope: ${JSON.stringify(declared.options)}`,
      );
    }
    if (declared.need !== "needed") declared.need = need ?? declared.need;
  }

  /** Indexes the kind's objects under the values that the function gives for each. Only before the start. */
  index<T extends KubeObject>(type: ResourceType<T>, valuesOf: IndexFunction<T>): CacheIndex<T> {
    this.declare(type, {});
    const informers = this.informersOf(type);
    const taken = new Set(informers.flatMap(({ indexer }) => Object.keys(indexer.indexers)));
    const wanted = valuesOf.name === "" ? "index" : valuesOf.name;
    let name = wanted;
    for (let i = 2; taken.has(name); i++) name = `${wanted}-${i}`;
    for (const informer of informers) informer.addIndexers({ [name]: valuesOf });
    return Object.freeze({ type, name });
  }

  /** Indexes the kind by controller, for `ownedBy`. */
  declareOwned(type: ResourceType, need?: KindNeed): void {
    this.declare(type, {}, need);
    for (const informer of this.informersOf(type)) informer.addIndexers({ [controllerIndex]: controllersOf });
  }

  /** Has objects of all shards cached, for a reader that reads them all. Only before the start. */
  cacheAllShards(type: ResourceType): void {
    this.#declared(type).isLimited = false;
  }

  /** True if only the objects of this process's shards are cached. */
  isLimited(type: ResourceType): boolean {
    return this.#kinds.get(resourceKey(type))?.isLimited ?? false;
  }

  /** Resolves when the caches of the kind show lists that began after the call. */
  async relist(type: ResourceType, options: { readonly signal: AbortSignal }): Promise<void> {
    await Promise.all(this.informersOf(type).map((informer) => informer.relist(options)));
  }

  get kinds(): readonly ResourceType[] {
    return Array.from(this.#kinds.values(), ({ type }) => type);
  }

  has(type: ResourceType): boolean {
    return this.#kinds.has(resourceKey(type));
  }

  serves(type: ResourceType): boolean {
    return this.informersOf(type).every(({ hasSynced, reflector }) => hasSynced && !isNotFound(reflector?.lastError));
  }

  /** True if the server does not know the kind, and need not. */
  isMissing(type: ResourceType): boolean {
    return this.#declared(type).need === "optional" && this.informersOf(type).some(lacksKind);
  }

  /** Resolves when the caches of the kind are filled. */
  async waitForSync(type: ResourceType, options: { readonly signal: AbortSignal }): Promise<void> {
    await Promise.all(this.informersOf(type).map((informer) => informer.waitForSync(options)));
  }

  /** Resolves with true when the caches of the kind are filled, with false once the server has said that it does not know the kind. */
  async waitForWord(type: ResourceType, options: { readonly signal: AbortSignal }): Promise<boolean> {
    if (this.informersOf(type).some(lacksKind)) return false;
    let hear: (failed: ResourceType, error: unknown) => void = () => {};
    const unknown = new Promise<boolean>((resolve) => {
      hear = (failed, error) => {
        if (resourceKey(failed) === resourceKey(type) && isNotFound(error)) resolve(false);
      };
    });
    this.#failureListeners.add(hear);
    try {
      return await Promise.race([unknown, this.waitForSync(type, options).then(() => true)]);
    } finally {
      this.#failureListeners.delete(hear);
    }
  }

  /** To be called with each failed list or watch of a kind. */
  failed(type: ResourceType, error: unknown): void {
    for (const hear of this.#failureListeners) hear(type, error);
  }

  /** The informers of a declared kind: one, or one for each namespace. */
  informersOf<T extends KubeObject>(type: ResourceType<T>): readonly FactoryInformer<T>[] {
    return [...this.#declared(type).informers.values()] as unknown as readonly FactoryInformer<T>[];
  }

  get<T extends KubeObject>(type: ResourceType<T>, place: ObjectPlace): T | undefined {
    const declared = this.#declared(type);
    const { namespace = "", name } = place;
    if (typeof name !== "string") throw new TypeError(`cache.get takes { namespace, name }, not ${shown(place)}`);
    if (namespace === "" && type.scope === "Namespaced")
      throw new TypeError(`cache.get: ${type.kind} ${name} needs a namespace: { namespace, name }`);
    this.#refuseOther(declared, namespace);
    const key = objectKey(type.scope === "Cluster" ? { name } : { namespace, name });
    return declared.overlay.get(key, declared.store) as T | undefined;
  }

  list<T extends KubeObject>(type: ResourceType<T>, options: CacheListOptions = {}): readonly T[] {
    checkListOptions(options);
    const { namespace = "", selector } = options;
    const declared = this.#declared(type);
    if (namespace !== "") this.#refuseOther(declared, namespace);
    const matches = (object: KubeObject): boolean =>
      (namespace === "" || object.metadata.namespace === namespace) &&
      (selector?.matches(object.metadata.labels) ?? true);
    const read = this.#eachStore(declared, namespace, (store) => {
      const objects = namespace === "" ? store.list() : store.byIndex(namespaceIndex, namespace);
      return selector === undefined ? objects : objects.filter(matches);
    });
    return this.#overlaid(declared, read, matches) as readonly KubeObject[] as readonly T[];
  }

  byIndex<T extends KubeObject>(index: CacheIndex<T>, value: string): readonly T[] {
    const { type, name } = index;
    if (type === undefined) throw new TypeError(`cache.byIndex takes what manager.index gave, not ${shown(index)}`);
    const declared = this.#declared(type);
    const [first] = declared.informers.values();
    const valuesOf = first?.indexer.indexers[name];
    if (valuesOf === undefined) throw new Error(missingIndex(type, name));
    const read = this.#eachStore(declared, "", (store) => store.byIndex(name, value));
    const belongs = (object: KubeObject): boolean => [...valuesOf(object)].includes(value);
    return this.#overlaid(declared, read, belongs) as readonly KubeObject[] as readonly T[];
  }

  ownedBy<T extends KubeObject>(type: ResourceType<T>, owner: KubeObject): readonly T[] {
    return this.byIndex({ type, name: controllerIndex }, owner.metadata.uid ?? "");
  }

  /** True if the cached objects of the kind lack fields that the server has. */
  isPartial(type: ResourceType): boolean {
    return this.#kinds.get(resourceKey(type))?.projection !== undefined;
  }

  /** True if whole objects of the kind are kept beside the cached parts. */
  keepsWhole(type: ResourceType): boolean {
    return this.#kinds.get(resourceKey(type))?.recent !== undefined;
  }

  /** The cached object, and the whole of it if that is in memory and no older. */
  whole<T extends KubeObject>(
    type: ResourceType<T>,
    place: ObjectPlace,
  ): { readonly cached: T | undefined; readonly whole: T | undefined } {
    const { projection, recent } = this.#declared(type);
    const cached = this.get(type, place);
    if (cached === undefined || projection === undefined) return { cached, whole: cached };
    return { cached, whole: recent?.find(metaNamespaceKey(cached), cached) as T | undefined };
  }

  /** Keeps an object that was read from the server, for as long as there is room; gives it as caches hold objects. */
  keep<T extends KubeObject>(type: ResourceType<T>, object: T): T {
    this.#declared(type).recent?.put(metaNamespaceKey(object), object);
    const { managedFields: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  }

  /** The kept whole objects of each kind that has some. */
  get recents(): ReadonlyMap<string, RecentObjects> {
    return new Map([...this.#kinds].flatMap(([kind, { recent }]) => (recent === undefined ? [] : [[kind, recent]])));
  }

  /** Whether the cached objects are frozen. */
  get frozen(): boolean {
    return this.#factory.freeze;
  }

  /**
   * Records a write through a client of this cache: reads show it from now on, in the returned form. Nothing is kept of
   * a kind that is not cached.
   */
  wrote<T extends KubeObject>(type: ResourceType<T>, object: T): KubeObject | undefined {
    const declared = this.#kinds.get(resourceKey(type));
    if (declared === undefined || this.#isOther(declared, object.metadata.namespace)) return undefined;
    const transform = declared.projection ?? declared.options.transform ?? this.#options.transform;
    // a transform may work in place, and the writer still has the answer
    const shown = transform === undefined ? object : transform({ ...object, metadata: { ...object.metadata } });
    // the answer shares parts with the object that reads show
    if (this.frozen) deepFreeze([object, shown]);
    declared.overlay.wrote(shown as KubeObject);
    declared.recent?.put(metaNamespaceKey(object), object);
    // entries that are never read again would stay for ever
    if (declared.overlay.size >= 128) declared.overlay.prune(declared.store);
    return shown as KubeObject;
  }

  /** Records that a client of this cache deleted the object, and that it is gone. */
  deleted(type: ResourceType, object: KubeObject): void {
    this.#kinds.get(resourceKey(type))?.overlay.deleted(object);
  }

  /**
   * Has `tell` told of written objects that are gone, though the informers may not tell of it; for as long as the cache
   * lives.
   */
  onVanished(type: ResourceType, tell: (object: KubeObject) => void): void {
    this.#declared(type).onVanished.push(tell);
  }

  /** Looks for written objects that have vanished; to be called from time to time. */
  sweep(): void {
    for (const { overlay, store, onVanished } of this.#kinds.values())
      for (const object of overlay.takeVanished(store)) for (const tell of onVanished) tell(object);
  }

  /** The revision of reads of the kind. */
  revisionOf(type: ResourceType): string {
    const [first] = this.#declared(type).informers.values();
    return first?.lastStoreSyncResourceVersion ?? "";
  }

  #declared(type: ResourceType): Declared {
    const declared = this.#kinds.get(resourceKey(type));
    if (declared !== undefined) return declared;
    const kinds = [...this.#kinds.keys()].join(", ");
    throw new UndeclaredKindError(
      `${type.kind} (${resourceKey(type)}) is not in the cache: name it in the controller's owns, watches or reads. Cached: ${kinds}`,
    );
  }

  #isOther({ isLimited }: Declared, namespace = ""): boolean {
    return isLimited && this.#options.caches?.(namespace) === false;
  }

  /** To say that there is no such object would be a lie. */
  #refuseOther(declared: Declared, namespace: string): void {
    if (this.#isOther(declared, namespace)) throw new OtherShardError(declared.type, namespace);
  }

  #storeOf({ informers }: Declared, namespace: string): FactoryInformer<KubeObject>["indexer"] | undefined {
    return (informers.get("") ?? informers.get(namespace))?.indexer;
  }

  #eachStore(
    declared: Declared,
    namespace: string,
    read: (store: FactoryInformer<KubeObject>["indexer"]) => KubeObject[],
  ): KubeObject[] {
    if (namespace !== "") {
      const store = this.#storeOf(declared, namespace);
      return store === undefined ? [] : read(store);
    }
    const results = Array.from(declared.informers.values(), ({ indexer }) => read(indexer));
    return results.length === 1 ? (results[0] ?? []) : results.flat();
  }

  #overlaid(declared: Declared, objects: KubeObject[], belongs: (object: KubeObject) => boolean): KubeObject[] {
    if (declared.overlay.size === 0) return objects;
    return declared.overlay.list(objects, declared.store, belongs);
  }

  /** The namespaces in which the kind is cached, or would be; `""` stands for all of them, and for the cluster scope. */
  namespacesOf(type: ResourceType): readonly string[] {
    return this.#namespacesOf(type, this.#kinds.get(resourceKey(type))?.options ?? {});
  }

  #namespacesOf({ scope }: ResourceType, { namespaces }: CacheOptions): readonly string[] {
    return scope === "Cluster" ? [""] : (namespaces ?? this.#options.namespaces ?? [""]);
  }

  #informer(declared: Declared, namespace: string): FactoryInformer<KubeObject> {
    const { type, options, transform } = declared;
    const { labelSelector, fieldSelector, metadataOnly = false } = options;
    const keeps = ({ metadata }: KubeObject): boolean => !this.#isOther(declared, metadata.namespace);
    return this.#factory.informer(type, {
      ...defined({ labelSelector, fieldSelector, transform: transform ?? options.transform }),
      ...defined({ namespace: namespace || undefined, keeps: declared.isLimited ? keeps : undefined }),
      ...(metadataOnly && { as: "metadata" as const }),
    });
  }
}

const lacksKind = ({ reflector }: FactoryInformer<KubeObject>): boolean => isNotFound(reflector?.lastError);

function missingIndex({ kind }: ResourceType, index: string): string {
  if (index === controllerIndex) return `ownedBy(${kind}) needs ${kind} in the controller's owns`;
  return `the cache of ${kind} has no index ${index}: it was made by manager.index of another manager, or for another cluster`;
}
