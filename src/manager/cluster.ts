/** One cluster of a manager: a client, the caches over it, and the problems of their watches. */
import { isForbidden, isNotFound, type KubeObject, type ResourceType, resourceKey } from "../api/index.js";
import { withoutManagedFields } from "../api/meta/managed-fields.js";
import { defined } from "../base/defined.js";
import {
  type Clock,
  type Logger,
  messageOf,
  type MetricsRegistry,
  type Random,
  type Running,
  startRunning,
} from "../base/index.js";
import { type Client, meterRequests } from "../client/index.js";
import { ClusterCache } from "../controller/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { missingRule } from "./needs/rbac.js";
import type { ManagerOptions } from "./options.js";

export interface ManagedClusterOptions {
  /** "" for the manager's own cluster. */
  readonly name: string;
  readonly client: Client;
  readonly namespaces?: readonly string[];
  readonly resyncPeriodMs?: number;
  /** Applies to all kinds; by default managed fields are dropped. */
  readonly transform?: (object: KubeObject) => KubeObject;
  /** Freezes the objects that the caches give out; the default in tests. */
  readonly freeze?: boolean;
  /** If set, only objects of namespaces for which it is true are cached. */
  readonly caches?: (namespace: string) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** The time between two searches for own writes whose objects are gone. */
const sweepMs = 30_000;

export class Cluster {
  readonly name: string;
  readonly client: Client;
  readonly cache: ClusterCache;
  readonly factory: SharedInformerFactory;
  readonly #log: Logger;
  readonly #metrics: MetricsRegistry;
  readonly #clock: Clock;
  /** The last logged problem of each kind, so that it is not logged every second. */
  readonly #said = new Map<string, string>();

  constructor(options: ManagedClusterOptions) {
    const {
      name,
      client,
      clock,
      random,
      log,
      metrics,
      namespaces,
      resyncPeriodMs,
      freeze,
      caches,
      transform = withoutManagedFields,
    } = options;
    this.name = name;
    this.client = client;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#log = name === "" ? log : log.child({ cluster: name });
    this.factory = new SharedInformerFactory(client, {
      clock,
      random,
      logger: this.#log,
      metrics,
      transform,
      onWatchError: (error, _reflector, type) => {
        this.#say(type, explainWatchError(type, error));
        this.cache.failed(type, error);
      },
      ...defined({ freeze, resyncPeriodMs }),
    });
    this.cache = new ClusterCache(this.factory, { clock, metrics, transform, ...defined({ namespaces, caches }) });
  }

  start(): Running {
    const metered = meterRequests(this.client, this.#metrics);
    const informers = this.factory.start();
    const sweeps = startRunning((signal) => this.#sweep(signal));
    const close = async (): Promise<void> => {
      await Promise.all([informers.close(), sweeps.close()]);
      metered[Symbol.dispose]();
    };
    return { done: informers.done, close, [Symbol.asyncDispose]: close };
  }

  /** Finds own writes whose objects are gone without an informer's word, and kinds whose outage is over. */
  async #sweep(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(sweepMs, signal);
      this.cache.sweep();
      this.#forgetWhatWorks();
    }
  }

  /** The reasons why the caches cannot be relied on now; empty if they can. */
  problems(): readonly string[] {
    return this.cache.kinds.flatMap((type) => this.#problemsOf(type).map(({ problem }) => problem));
  }

  /** The problems of the caches that have no objects yet, those of some kinds aside. */
  unfilled(isSpared: (type: ResourceType) => boolean): readonly string[] {
    const kinds = this.cache.kinds.filter((type) => !isSpared(type));
    return kinds.flatMap((type) =>
      this.#problemsOf(type).flatMap(({ problem, isFilled }) => (isFilled ? [] : [problem])),
    );
  }

  #problemsOf(type: ResourceType): readonly { readonly problem: string; readonly isFilled: boolean }[] {
    if (this.cache.isMissing(type)) return [];
    const where = this.name === "" ? "" : ` of cluster ${this.name}`;
    return this.cache.informersOf(type).flatMap(({ name, reflector, hasSynced: isFilled }) => {
      const error = reflector?.lastError;
      if (isFilled && error === undefined) return [];
      const why = error === undefined ? "" : `: ${explainWatchError(type, error)}`;
      const what = isFilled ? `the watch of ${name}${where} has failed` : `the cache of ${name}${where} is not filled`;
      return [{ problem: `${what}${why}`, isFilled }];
    });
  }

  /** The kinds that this client may not list and watch. */
  forbidden(): readonly ResourceType[] {
    return this.cache.kinds.filter((type) =>
      this.cache.informersOf(type).some(({ reflector }) => isForbidden(reflector?.lastError)),
    );
  }

  /** So that the next outage is told of, also if its words are the same. */
  #forgetWhatWorks(): void {
    for (const type of this.cache.kinds) {
      const isFailing = this.cache.informersOf(type).some(({ reflector }) => reflector?.lastError !== undefined);
      if (!isFailing) this.#said.delete(resourceKey(type));
    }
  }

  #say(type: ResourceType, message: string): void {
    const key = resourceKey(type);
    if (this.#said.get(key) === message) return;
    this.#said.set(key, message);
    this.#log.warn(message, { kind: type.kind, resource: key });
  }
}

/** The clusters of a manager, its own first, with their caches. */
export function clustersOf(
  options: ManagerOptions,
  { caches, ...shared }: Pick<ManagedClusterOptions, "clock" | "random" | "log" | "metrics" | "caches">,
): readonly [own: Cluster, ...others: Cluster[]] {
  const { client, clusters = {}, namespaces, resyncPeriodMs, transform, freeze } = options;
  const of = (name: string, to: Client, own: Partial<ManagedClusterOptions> = {}): Cluster =>
    new Cluster({ ...shared, ...own, name, client: to, ...defined({ namespaces, resyncPeriodMs, transform, freeze }) });
  return [of("", client, defined({ caches })), ...Object.entries(clusters).map(([name, to]) => of(name, to))];
}

/** Explains a failed list or watch, with what an operator can do about it. */
export function explainWatchError(type: ResourceType, error: unknown): string {
  const message = messageOf(error);
  if (isNotFound(error)) {
    return `the server does not know ${type.plural}${type.group === "" ? "" : `.${type.group}`} in version ${type.version}: waiting for its CustomResourceDefinition`;
  }
  if (isForbidden(error))
    return `not allowed to list and watch ${type.plural}; missing RBAC rule: ${missingRule(type)} (${message})`;
  return message;
}
