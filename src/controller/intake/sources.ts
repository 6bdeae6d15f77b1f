/** Sources of requests: kinds that are owned or watched, timers, streams, callbacks. */
import {
  type GroupKind,
  type KubeObject,
  type OwnerReference,
  parseGroupVersion,
  type ResourceType,
} from "../../api/index.js";
import { checkNumbers, type Clock } from "../../base/index.js";
import { aborted } from "../../base/abort.js";
import type { Reason } from "../../workqueue/index.js";
import type { CacheReader } from "../cache/cluster-cache.js";
import type { ObjectChange } from "../../informer/index.js";
import { anyChange, type Predicate } from "./change.js";
import type { Request } from "../reconcile.js";

/** A kind whose changes wake a controller. Made by `watch` and `owned`, which know its type. */
export interface WatchSpec {
  readonly type: ResourceType;
  readonly wakes: (change: ObjectChange<KubeObject>) => boolean;
  /** Gives the objects of the controller's own kind that a change concerns. */
  readonly map: (
    change: ObjectChange<KubeObject>,
    tools: { readonly cache: CacheReader; readonly owner: ResourceType },
  ) => Iterable<Request>;
  /** True for `owned`: the controller may also write the kind. */
  readonly owned: boolean;
  /** "" for the manager's own cluster. */
  readonly cluster: string;
}

export interface WatchSpecOptions<T extends KubeObject> {
  /** Everything but resyncs by default. */
  readonly predicate?: Predicate<T>;
  /** The name of another cluster of the manager, in which the kind is watched. */
  readonly cluster?: string;
}

/**
 * A change of this kind wakes the objects that `map` names. It is called once for a change and gets the state before
 * and after, so that objects that are no longer referred to are woken as well.
 */
export function watch<T extends KubeObject>(
  type: ResourceType<T>,
  map: (change: ObjectChange<T>, tools: { readonly cache: CacheReader }) => Iterable<Request>,
  options: WatchSpecOptions<T> = {},
): WatchSpec {
  return {
    type,
    wakes: (options.predicate ?? anyChange) as WatchSpec["wakes"],
    map: map as unknown as WatchSpec["map"],
    owned: false,
    cluster: options.cluster ?? "",
  };
}

export interface OwnedOptions<T extends KubeObject> extends WatchSpecOptions<T> {
  /** By default only the controlling owner is woken. */
  readonly anyOwner?: boolean;
}

/** A change of this kind wakes its owner, and its owner before the change. */
export function owned<T extends KubeObject>(type: ResourceType<T>, options: OwnedOptions<T> = {}): WatchSpec {
  const { anyOwner = false, predicate = anyChange } = options;
  return {
    type,
    wakes: predicate as WatchSpec["wakes"],
    owned: true,
    cluster: options.cluster ?? "",
    map(change, { owner }) {
      const objects = change.type === "updated" ? [change.object, change.previous] : [change.object];
      return objects.flatMap((object) => ownersOf(object, owner, anyOwner));
    },
  };
}

function ownersOf({ metadata }: KubeObject, owner: ResourceType, anyOwner: boolean): Request[] {
  const references = (metadata.ownerReferences ?? []).filter((reference) => anyOwner || reference.controller === true);
  const { namespace } = metadata;
  // the owner of an object without a namespace has none either: this reference finds nobody
  if (owner.scope === "Namespaced" && namespace === undefined) return [];
  return references
    .filter((reference) => isOfKind(reference, owner))
    .map(({ name }) => (owner.scope === "Cluster" || namespace === undefined ? { name } : { namespace, name }));
}

/** In any version: an owner is the same object in each of them. */
function isOfKind({ apiVersion, kind }: OwnerReference, { group, kind: wanted }: GroupKind): boolean {
  return kind === wanted && parseGroupVersion(apiVersion).group === group;
}

/** A source of requests outside the cluster. */
export interface Source {
  readonly name: string;
  /** Runs while the controller does. A failure is reported, and the source is started again with growing delays. */
  run(wake: (request: Request, reason?: Pick<Reason, "message" | "fields">) => void, tools: SourceTools): Promise<void>;
}

export interface SourceTools {
  readonly signal: AbortSignal;
  readonly cache: CacheReader;
  readonly clock: Clock;
}

/** Wakes objects periodically. */
export function timerSource(options: {
  readonly name: string;
  readonly everyMs: number;
  readonly requests: (cache: CacheReader) => Iterable<Request>;
}): Source {
  const { name, everyMs, requests } = options;
  checkNumbers(`timer ${name}`, options, { everyMs: { min: 1 } });
  return {
    name,
    async run(wake, { signal, cache, clock }) {
      for (;;) {
        await clock.sleep(everyMs, signal);
        for (const request of requests(cache)) wake(request);
      }
    },
  };
}

/** Wakes the objects that a stream names. */
export function iterableSource(name: string, open: (signal: AbortSignal) => AsyncIterable<Request>): Source {
  return {
    name,
    async run(wake, { signal }) {
      for await (const request of open(signal)) {
        if (signal.aborted) return;
        wake(request);
      }
    },
  };
}

/** Wakes an object when the function is called, from any code. Calls before the start wait for it. */
export function callbackSource(name: string): Source & { wake(request: Request): void } {
  let early: Request[] = [];
  let running: ((request: Request) => void) | undefined;
  return {
    name,
    wake(request) {
      if (running === undefined) early.push(request);
      else running(request);
    },
    async run(wake, { signal }) {
      running = (request) => wake(request);
      const waiting = early;
      early = [];
      for (const request of waiting) wake(request);
      await aborted(signal);
      running = undefined;
    },
  };
}
