/** One informer per kind and scope, however often it is requested, so that controllers share caches. */
import { apiVersionOf, checkResourceType, type KubeObject, type ResourceType, resourceKey } from "../api/index.js";
import type { Decode, PartialObjectMetadata } from "../client/index.js";
import { defined } from "../base/defined.js";
import {
  Lifetime,
  type Logger,
  type MetricsRegistry,
  type Random,
  type Running,
  settledOn,
  systemClock,
} from "../base/index.js";
import { cacheDecoder, type ListWatchClient, listWatchOf, type ListWatchScope } from "./source/client-list-watch.js";
import { createLister, type Lister } from "./lister.js";
import type { ReflectorView } from "./reflector/view.js";
import { type InformerOptions, SharedIndexInformer } from "./shared-informer.js";
import type { TweakListOptions } from "./source/list-watch.js";
import type { Transform } from "./store/delta-fifo.js";
import { freezes, type FreezingOptions } from "./store/freezing.js";
import { namespaceIndex, namespaceIndexFunction } from "./store/indexer.js";

/** An informer of a factory: with its kind, and a lister. */
export interface FactoryInformer<T extends KubeObject> extends SharedIndexInformer<T> {
  readonly type: ResourceType<T>;
  readonly lister: Lister<T>;
}

export interface FactoryOptions extends Omit<ListWatchScope, "as">, FreezingOptions {
  /** The resync period of kinds that are not in `resyncByKind`. */
  readonly resyncPeriodMs?: number;
  /** Resync periods by `resourceKey`, e.g. `apps/v1/deployments`. */
  readonly resyncByKind?: ReadonlyMap<string, number>;
  /** For all kinds; one that is given with a kind's scope takes its place. */
  readonly transform?: Transform<KubeObject>;
  /** Called for each failed list or watch of a kind, before the wait that follows. Must return quickly. */
  readonly onWatchError?: (error: unknown, reflector: ReflectorView, type: ResourceType) => void;
  readonly tuning?: Pick<
    InformerOptions<KubeObject>,
    "useWatchList" | "pageSize" | "minWatchTimeoutMs" | "silenceMs" | "backoff"
  >;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: MetricsRegistry;
}

/** The objects of a kind that an informer holds, and the form in which it holds them. */
export interface InformerScope<T> extends ListWatchScope {
  readonly transform?: Transform<T>;
  /** Objects for which it is false are not cached. When its answers change, the informer's `relist` is to be called. */
  readonly keeps?: (object: T) => boolean;
}

/** Thrown if not all caches were filled before the signal aborted. */
export class CacheSyncError extends Error {
  override readonly name = "CacheSyncError";
  readonly unsynced: readonly string[];

  constructor(unsynced: readonly string[], options: ErrorOptions) {
    super(`failed to wait for caches to sync: ${unsynced.join(", ")}`, options);
    this.unsynced = unsynced;
  }
}

/**
 * Requesting an informer registers it; it starts with the next `start`. Informers are shared by reference, so that many
 * controllers cost one watch.
 */
export class SharedInformerFactory {
  /** True if the cached objects are frozen. */
  readonly freeze: boolean;
  readonly #client: ListWatchClient;
  readonly #options: FactoryOptions;
  readonly #informers = new Map<string, FactoryInformer<KubeObject>>();
  readonly #running = new Map<string, Running>();
  readonly #tweaks: TweakListOptions[] = [];
  #shuttingDown = false;

  constructor(client: ListWatchClient, options: FactoryOptions = {}) {
    this.#client = client;
    const clock = options.clock ?? client.clock;
    this.#options = clock === undefined ? options : { ...options, clock };
    this.freeze = freezes(options, client);
  }

  /** The informer of a kind, in the factory's scope unless a narrower one is given. A descriptor made at run time will do. */
  informer<T extends KubeObject>(type: ResourceType<T>, scope: InformerScope<T> = {}): FactoryInformer<T> {
    checkResourceType("factory.informer", type);
    const merged = { ...this.#options, ...scope } as InformerScope<T>;
    const key = this.#scopeKey(type, merged);
    const known = this.#informers.get(key) as unknown as FactoryInformer<T> | undefined;
    if (known !== undefined && known.transform !== merged.transform)
      throw new Error(`informer ${key} exists with another transform: ask for it with the same function everywhere`);
    if (known !== undefined) return known;
    const informer = this.#create(type, merged, key);
    this.#informers.set(key, informer as unknown as FactoryInformer<KubeObject>);
    return informer;
  }

  /** An informer that holds only the metadata of a kind's objects. */
  metadata(type: ResourceType, scope: Omit<ListWatchScope, "as"> = {}): FactoryInformer<PartialObjectMetadata> {
    return this.informer(type as ResourceType<PartialObjectMetadata>, { ...scope, as: "metadata" });
  }

  lister<T extends KubeObject>(type: ResourceType<T>, scope: InformerScope<T> = {}): Lister<T> {
    return this.informer(type, scope).lister;
  }

  /**
   * Starts every requested informer that is not running yet; call it again for informers that are requested later.
   * After `shutdown` it does nothing. Disposing the result shuts the factory down.
   */
  start(options: { readonly signal?: AbortSignal } = {}): Running {
    if (!this.#shuttingDown)
      for (const [key, informer] of this.#informers)
        if (!informer.isStarted) this.#running.set(key, informer.start(options));
    return {
      done: Promise.all(Array.from(this.#running.values(), ({ done }) => done)).then(() => {}),
      close: () => this.shutdown(),
      [Symbol.asyncDispose]: () => this.shutdown(),
    };
  }

  /**
   * Resolves when every *started* informer has synced, with each informer's name; rejects with a CacheSyncError if the
   * signal aborts first.
   */
  async waitForCacheSync({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyMap<string, boolean>> {
    const started = [...this.#informers.values()].filter(({ isStarted }) => isStarted);
    try {
      await Promise.all(started.map((informer) => informer.waitForSync({ signal })));
    } catch (cause) {
      const unsynced = started.filter(({ hasSynced }) => !hasSynced).map(({ name }) => name);
      if (unsynced.length > 0) throw new CacheSyncError(unsynced.sort(), { cause });
    }
    return new Map(started.map(({ name, hasSynced }) => [name, hasSynced]));
  }

  /** Forbids further starts, stops all informers and waits for them. May be called repeatedly. */
  async shutdown(): Promise<void> {
    this.#shuttingDown = true;
    const lifetime = new Lifetime();
    for (const running of this.#running.values()) lifetime.use(running);
    await settledOn(this.#options.clock ?? systemClock, lifetime[Symbol.asyncDispose]());
  }

  /** All informers, by a key that names kind and scope. */
  get informers(): ReadonlyMap<string, FactoryInformer<KubeObject>> {
    return this.#informers;
  }

  /** A tweak function is told from others by identity, through its place among those that were given. */
  #scopeKey(type: ResourceType, scope: ListWatchScope): string {
    const { tweak } = scope;
    if (tweak !== undefined && !this.#tweaks.includes(tweak)) this.#tweaks.push(tweak);
    return scopeKey(type, scope, tweak === undefined ? 0 : this.#tweaks.indexOf(tweak) + 1);
  }

  #create<T extends KubeObject>(type: ResourceType<T>, scope: InformerScope<T>, key: string): FactoryInformer<T> {
    const { resyncByKind, resyncPeriodMs = 0, tuning, onWatchError } = this.#options;
    const { clock, random, logger, metrics } = this.#options;
    const { transform, keeps } = scope;
    const decode: Decode<T> = cacheDecoder<T>(scope.as === "metadata" ? partialObjectMetadata : type, {
      // a transformed object differs from the one that the server sent
      cached: (name) => (transform === undefined ? informer.indexer.get(name) : undefined),
      // a transform may change the object in place, and shared parts are frozen
      isReadonly: transform === undefined,
    });
    const informer: SharedIndexInformer<T> = new SharedIndexInformer<T>({
      ...(tuning as Partial<InformerOptions<T>> | undefined),
      ...defined({ clock, random, logger, metrics, transform, keeps }),
      ...(onWatchError && { onWatchError: (error, reflector) => onWatchError(error, reflector, type) }),
      freeze: this.freeze,
      source: listWatchOf(this.#client, type, { ...scope, decode }),
      name: key,
      expectedKind: expectedKindOf(type, scope),
      resyncPeriodMs: resyncByKind?.get(resourceKey(type)) ?? resyncPeriodMs,
      indexers: { [namespaceIndex]: namespaceIndexFunction },
    });
    const lister = createLister(informer.indexer, { group: type.group, resource: type.plural });
    return Object.assign(informer, { type, lister });
  }
}

const partialObjectMetadata = { group: "meta.k8s.io", version: "v1", kind: "PartialObjectMetadata" };

/** A metadata-only object is a PartialObjectMetadata, whatever its kind. */
function expectedKindOf(
  type: ResourceType,
  scope: ListWatchScope,
): { readonly apiVersion: string; readonly kind: string } {
  const expected = scope.as === "metadata" ? partialObjectMetadata : type;
  return { apiVersion: apiVersionOf(expected), kind: expected.kind };
}

/** Two requests with the same key get the same informer. */
function scopeKey(type: ResourceType, scope: ListWatchScope, tweakNumber: number): string {
  const { namespace, labelSelector, fieldSelector, shardSelector, as } = scope;
  const parts = [
    as === undefined ? "" : `as=${as}`,
    namespace === undefined || namespace === "" ? "" : `namespace=${namespace}`,
    labelSelector === undefined ? "" : `labels=${labelSelector}`,
    fieldSelector === undefined ? "" : `fields=${fieldSelector}`,
    shardSelector === undefined ? "" : `shard=${shardSelector}`,
    tweakNumber === 0 ? "" : `tweak=${tweakNumber}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? resourceKey(type) : `${resourceKey(type)}?${parts.join("&")}`;
}
