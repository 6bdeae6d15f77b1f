/**
 * Takes pods, and gives the number of pods that their controllers want altogether. Reads scales from caches, or from
 * the server for kinds that are not cached.
 */
import {
  controllerOf,
  Deployment,
  isNotFound,
  type KubeObject,
  type OwnerReference,
  parseGroupVersion,
  type Pod,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  unless,
} from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { FactoryInformer, SharedInformerFactory } from "../../informer/index.js";

interface Scalable extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

interface KnownScale {
  readonly uid: string;
  readonly replicas: number;
}

export interface WantedPods {
  /** The sum over the distinct controllers. */
  readonly wanted: number;
  /** True if some pods have no controller; they count as 0. */
  readonly unmanaged: boolean;
}

export class Scales {
  readonly #client: Client;
  readonly #deployments: FactoryInformer<Deployment>;
  /** By group and kind, as owner references name them. */
  readonly #cached: Readonly<Record<string, FactoryInformer<Scalable>>>;

  constructor({ client, informers }: { readonly client: Client; readonly informers: SharedInformerFactory }) {
    this.#client = client;
    this.#deployments = informers.informer(Deployment);
    this.#cached = {
      "apps/ReplicaSet": informers.informer(ReplicaSet) as unknown as FactoryInformer<Scalable>,
      "/ReplicationController": informers.informer(ReplicationController) as unknown as FactoryInformer<Scalable>,
      "apps/StatefulSet": informers.informer(StatefulSet) as unknown as FactoryInformer<Scalable>,
    };
  }

  async wantedBy(pods: readonly Pod[], signal: AbortSignal): Promise<WantedPods> {
    const scales = new Map<string, number>();
    const asked = new Set<string>();
    let unmanaged = false;
    for (const pod of pods) {
      const reference = controllerOf(pod);
      if (reference === undefined) unmanaged = true;
      else if (!asked.has(reference.uid)) {
        asked.add(reference.uid);
        const namespace = pod.metadata.namespace ?? "";
        const scale = this.#cachedScale(reference, namespace) ?? (await this.#liveScale(reference, namespace, signal));
        if (scale === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
        scales.set(scale.uid, scale.replicas);
      }
    }
    return { wanted: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
  }

  /** A ReplicaSet that a Deployment owns counts with the Deployment's scale. */
  #cachedScale(reference: OwnerReference, namespace: string): KnownScale | undefined {
    const { group } = parseGroupVersion(reference.apiVersion);
    const owner = this.#cached[`${group}/${reference.kind}`]?.indexer.get(`${namespace}/${reference.name}`);
    if (owner === undefined || owner.metadata.uid !== reference.uid) return undefined;
    const above = reference.kind === ReplicaSet.kind ? controllerOf(owner) : undefined;
    if (above?.kind !== Deployment.kind) return scaleOf(owner);
    const deployment = this.#deployments.indexer.get(`${namespace}/${above.name}`);
    return deployment?.metadata.uid === above.uid ? scaleOf(deployment as Scalable) : undefined;
  }

  /** Reads the scale of any other kind that has a `scale` subresource. */
  async #liveScale(reference: OwnerReference, namespace: string, signal: AbortSignal): Promise<KnownScale | undefined> {
    const { apiVersion, kind, name, uid } = reference;
    const type = await this.#client.discovery.findKind({ apiVersion, kind }, { signal });
    if (!type.subresources.includes("scale")) {
      const resource = type.group === "" ? type.plural : `${type.plural}.${type.group}`;
      throw new Error(`${resource} does not implement the scale subresource`);
    }
    const scale = await this.#client
      .resource(type, { namespace })
      .scale.get(name, { signal })
      .catch(unless(isNotFound));
    return scale?.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  }
}

const scaleOf = ({ metadata, spec }: Scalable): KnownScale => ({
  uid: metadata.uid ?? "",
  replicas: spec?.replicas ?? 1,
});
