/** Listens to the informers of a controller's kinds and turns changes into requests. */
import { type KubeObject, metaNamespaceKey, type ResourceType } from "../../api/index.js";
import { type Logger, messageOf } from "../../base/index.js";
import type { FactoryInformer, HandlerRegistration, ObjectChange } from "../../informer/index.js";
import { lowPriority, type Reason } from "../../workqueue/index.js";
import type { ClusterCache } from "../cache/cluster-cache.js";
import { reasonOf } from "./change.js";
import { requestKeys } from "./request-key.js";
import type { WatchSpec } from "./sources.js";

export interface IntakeOptions<T extends KubeObject> {
  readonly controller: string;
  readonly type: ResourceType<T>;
  readonly cache: ClusterCache;
  /** Gives the cache of another cluster. */
  readonly cacheOf: (cluster: string) => ClusterCache;
  readonly specs: readonly WatchSpec[];
  readonly wakes: (change: ObjectChange<T>) => boolean;
  /** True for a change that ends or begins a pause of the object: it wakes the object, whatever `wakes` says. */
  readonly isTurn: (change: ObjectChange<T>) => boolean;
  /** Called with each new state of an object, before it wakes any key. */
  readonly seen: (cluster: string, type: ResourceType, object: KubeObject, previous?: KubeObject) => void;
  readonly enqueue: (key: string, why: { readonly reason: Reason; readonly priority: number }) => void;
  readonly log: Logger;
}

/** A handler at an informer of a kind. */
export interface IntakeHandler {
  readonly type: ResourceType;
  /** "" for the manager's own cluster. */
  readonly cluster: string;
  readonly registration: HandlerRegistration;
}

/** Attaches the handlers now, so that the queue of a standby is warm. */
export function attachIntake<T extends KubeObject>(options: IntakeOptions<T>): readonly IntakeHandler[] {
  const { cache, cacheOf, type, specs, controller, wakes, isTurn, seen, enqueue, log } = options;
  const attach = <S extends KubeObject>(
    informer: FactoryInformer<S>,
    tell: (change: ObjectChange<S>) => void,
  ): HandlerRegistration => informer.addEventHandler(tell, { name: controller });

  // one run too many does no harm, one too few does
  const passes = <S extends KubeObject>(predicate: (change: ObjectChange<S>) => boolean, change: ObjectChange<S>) => {
    try {
      return predicate(change);
    } catch (error) {
      const { kind } = change.object;
      log.error("a predicate failed, and the change counts", { kind, object: metaNamespaceKey(change.object), error });
      return true;
    }
  };
  const attachAll = <S extends KubeObject>(
    cluster: string,
    kind: ResourceType<S>,
    tell: (change: ObjectChange<S>) => void,
  ): readonly IntakeHandler[] => {
    const from = cacheOf(cluster);
    from.onVanished(kind, (object) => {
      try {
        tell({ type: "deleted", object: object as S, key: metaNamespaceKey(object), missed: true });
      } catch (error) {
        log.error("event handler failed", { handler: controller, event: "deleted", error });
      }
    });
    return from
      .informersOf(kind)
      .map((informer) => ({ type: kind, cluster, registration: attach(informer, tell) }) as unknown as IntakeHandler);
  };
  const own = attachAll("", type, (change) => {
    if (change.type === "added") seen("", type, change.object);
    if (change.type === "updated") seen("", type, change.object, change.previous);
    if (isTurn(change) || passes(wakes, change))
      enqueue(metaNamespaceKey(change.object), { reason: reasonOf(change), priority: priorityOf(change) });
  });
  const others = specs.flatMap((spec) =>
    attachAll(spec.cluster, spec.type, (change) => {
      try {
        if (change.type === "updated") seen(spec.cluster, spec.type, change.object);
        if (!passes(spec.wakes, change)) return;
        const where = `the function of watch(${spec.type.kind}, …)`;
        const keys = requestKeys(type, spec.map(change, { cache, owner: type }), where);
        if (keys.size === 0) return;
        const why = { reason: reasonOf(change), priority: priorityOf(change) };
        for (const key of keys) enqueue(key, why);
      } catch (cause) {
        // the listener reports and counts it, and goes on with the other objects
        const object = `${spec.type.kind} ${metaNamespaceKey(change.object)}`;
        throw new Error(`mapping a change of ${object} to requests failed: ${messageOf(cause)}`, { cause });
      }
    }),
  );
  return [...own, ...others];
}

/** The initial list and resyncs have a lower priority than current changes. */
function priorityOf(change: ObjectChange<KubeObject>): number {
  return change.type === "resync" || (change.type === "added" && change.initial) ? lowPriority : 0;
}
