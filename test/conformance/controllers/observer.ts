/**
 * Watches everything that scenarios create, on one side: the objects, all names and uids so far, and since when a
 * namespace is quiet.
 */
import {
  ConfigMap,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  EndpointSlice,
  Event,
  IPAddress,
  Job,
  type KubeObject,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceQuota,
  type ResourceType,
  Secret,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  VolumeAttachment,
} from "../../../src/api/index.js";
import { type Running, systemClock } from "../../../src/base/index.js";
import type { Client } from "../../../src/client/index.js";
import { type FactoryInformer, SharedInformerFactory } from "../../../src/informer/index.js";

export const observedKinds: readonly ResourceType<KubeObject>[] = [
  ConfigMap,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  EndpointSlice,
  Event,
  IPAddress,
  Job,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  VolumeAttachment,
] as unknown as readonly ResourceType<KubeObject>[];

/** An object as it was first seen: enough to recognise its name and uid in texts. */
export interface Seen {
  readonly kind: string;
  readonly object: KubeObject;
}

export class Observer implements AsyncDisposable {
  readonly #informers: readonly FactoryInformer<KubeObject>[];
  readonly #running: Running;
  readonly #factory: SharedInformerFactory;
  readonly #lastChange = new Map<string, number>();
  readonly #seen = new Map<string, Map<string, Seen>>();

  private constructor(client: Client) {
    this.#factory = new SharedInformerFactory(client);
    this.#informers = observedKinds.map((kind) => this.#factory.informer(kind));
    for (const informer of this.#informers) {
      informer.addEventHandler({
        onAdd: (object) => this.#note(informer.type.kind, object),
        onUpdate: (_previous, object) => this.#note(informer.type.kind, object),
        onDelete: () => {},
      });
    }
    this.#running = this.#factory.start();
  }

  static async start(client: Client, signal: AbortSignal): Promise<Observer> {
    const observer = new Observer(client);
    await observer.#factory.waitForCacheSync({ signal });
    return observer;
  }

  #note(kind: string, object: KubeObject): void {
    const { namespace = kind === "Namespace" ? object.metadata.name : "", uid = "" } = object.metadata;
    this.#lastChange.set(namespace, systemClock.monotonic());
    let seen = this.#seen.get(namespace);
    if (seen === undefined) this.#seen.set(namespace, (seen = new Map()));
    // a Job's selector and a pod's owner are known from the start; an adopted pod keeps its first name
    if (!seen.has(uid)) seen.set(uid, { kind, object });
  }

  seenIn(namespace: string): readonly Seen[] {
    return [...(this.#seen.get(namespace)?.values() ?? [])];
  }

  /** The objects of a kind in the namespace; cluster-wide objects if the namespace is "". */
  objects(kind: string, namespace: string): readonly KubeObject[] {
    const informer = this.#informers.find(({ type }) => type.kind === kind);
    return (informer?.indexer.list() ?? []).filter(({ metadata }) => (metadata.namespace ?? "") === namespace);
  }

  /** Whether the observer has seen the last state of everything in the namespace. */
  async isCurrent(client: Client, namespace: string): Promise<boolean> {
    const revisions = (objects: readonly KubeObject[]): string =>
      objects
        .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
        .toSorted()
        .join();
    const namespaced = this.#informers.filter(({ type }) => type.scope === "Namespaced");
    const same = await Promise.all(
      namespaced.map(async ({ type }) => {
        const { items } = await client.metadata(type, { namespace }).list();
        return revisions(items as readonly KubeObject[]) === revisions(this.objects(type.kind, namespace));
      }),
    );
    return !same.includes(false);
  }

  /** Resolves when nothing has changed in the namespace for `ms`. */
  async quiet(namespace: string, ms: number, signal: AbortSignal): Promise<void> {
    // the effect of a very recent request may not have arrived yet
    const asked = systemClock.monotonic();
    for (;;) {
      const last = Math.max(asked, this.#lastChange.get(namespace) ?? 0);
      const left = last + ms - systemClock.monotonic();
      if (left <= 0) return;
      await systemClock.sleep(left, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
    await this.#factory.shutdown();
  }
}
