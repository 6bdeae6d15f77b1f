/** Watches the metadata of every kind that can be deleted, as discovery lists them, and reports each change. */
import { apiVersionOf, deepEqual, type KubeObject, type ResourceType, resourceKey } from "../../api/index.js";
import { Lifetime } from "../../base/index.js";
import type { DiscoveredResource } from "../../client/index.js";
import { deletedObject, listWatchOf, SharedIndexInformer } from "../../informer/index.js";
import type { ControllerContext } from "../kit/context.js";
import type { ObservedObject } from "./graph.js";

export interface MonitorEvents {
  observed(object: ObservedObject): void;
  removed(uid: string): void;
}

interface Monitor {
  readonly hasSynced: () => boolean;
  readonly lifetime: Lifetime;
}

/** Events have no owners, and there are too many of them. */
const ignored: ReadonlySet<string> = new Set(["v1/events", "events.k8s.io/v1/events"]);

/** A kind that other controllers already watch is not watched again: its informer is shared. */
export class Monitors {
  readonly #context: ControllerContext;
  readonly #events: MonitorEvents;
  readonly #monitors = new Map<string, Monitor>();

  constructor(context: ControllerContext, events: MonitorEvents) {
    this.#context = context;
    this.#events = events;
  }

  /** False until discovery has given the kinds to watch. */
  get allSynced(): boolean {
    return this.#monitors.size > 0 && [...this.#monitors.values()].every(({ hasSynced }) => hasSynced());
  }

  /** Starts monitors for new kinds and stops those of removed kinds. A group whose discovery failed keeps its monitors. */
  async sync(signal: AbortSignal): Promise<void> {
    const { discovery } = this.#context.client;
    discovery.invalidate();
    const { resources, failures } = await discovery.all({ signal });
    const wanted = new Map(preferred(resources).map((type) => [resourceKey(type), type]));
    for (const [key, type] of wanted) if (!this.#monitors.has(key)) this.#monitors.set(key, this.#open(type));
    for (const [key, monitor] of this.#monitors) {
      const unknown = failures.some(({ apiVersion }) => key.startsWith(`${apiVersion}/`));
      if (wanted.has(key) || unknown) continue;
      this.#monitors.delete(key);
      await monitor.lifetime[Symbol.asyncDispose]();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ lifetime }) => lifetime[Symbol.asyncDispose]()));
    this.#monitors.clear();
  }

  #open(type: DiscoveredResource): Monitor {
    const { informers } = this.#context;
    const lifetime = new Lifetime();
    const apiVersion = apiVersionOf(type);
    const as = (object: KubeObject): ObservedObject => ({ apiVersion, kind: type.kind, metadata: object.metadata });
    const shared = informers.informers.get(resourceKey(type));
    const informer = shared ?? this.#ownInformer(type);
    const registration = informer.addEventHandler(
      {
        onAdd: (object) => this.#events.observed(as(object)),
        onUpdate: (previous, object) => {
          if (isSameOwnership(previous, object)) return;
          if (previous.metadata.uid !== object.metadata.uid) this.#events.removed(previous.metadata.uid ?? "");
          this.#events.observed(as(object));
        },
        onDelete: (gone) => this.#events.removed(deletedObject(gone)?.metadata.uid ?? ""),
      },
      { name: "garbagecollector" },
    );
    if (shared === undefined) lifetime.use(informer.start());
    lifetime.defer(() => registration[Symbol.dispose]());
    return { hasSynced: () => registration.hasSynced, lifetime };
  }

  #ownInformer(type: ResourceType): SharedIndexInformer<KubeObject> {
    const { client, clock, random, log, metrics } = this.#context;
    return new SharedIndexInformer<KubeObject>({
      source: listWatchOf(client, type, { as: "metadata" }),
      name: `${resourceKey(type)}?as=metadata`,
      transform: onlyOwnership,
      clock,
      random,
      logger: log,
      metrics,
    });
  }
}

/** One version of each resource, and only resources that can be listed, watched and deleted. */
function preferred(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  const seen = new Set<string>();
  return resources.filter((type) => {
    const key = `${type.group}/${type.plural}`;
    if (seen.has(key) || ignored.has(resourceKey(type))) return false;
    if (!["delete", "list", "watch"].every((verb) => type.verbs.includes(verb))) return false;
    seen.add(key);
    return true;
  });
}

/** Whether the graph has learnt all of the object from its previous state, as for every renewal of a lease. */
const isSameOwnership = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.uid === b.uid &&
  a.deletionTimestamp === b.deletionTimestamp &&
  deepEqual(a.ownerReferences, b.ownerReferences) &&
  deepEqual(a.finalizers, b.finalizers);

/** The fields that the graph needs. The cache of a kind that no other controller uses holds only these. */
function onlyOwnership({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = metadata;
  const kept = { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp };
  const present = Object.entries(kept).filter(([, value]) => value !== undefined);
  return { apiVersion, kind, metadata: Object.fromEntries(present) as unknown as KubeObject["metadata"] };
}
