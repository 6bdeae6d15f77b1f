/** Binds a pod's volumes before the pod is bound: writes the bindings, and waits until they hold. */
import {
  compareRevisions,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  metaNamespaceKey,
  type Node,
  PersistentVolume,
  PersistentVolumeClaim,
  sameRevision,
  StorageClass,
  VolumeAttachment,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, messageOf } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { claimed, isBound, isReachableFrom, selectedNode } from "../../placement/volume-claims.js";
import type { HandlerRegistration, SharedInformerFactory } from "../../informer/index.js";
import type { ClusterEvent } from "../filters/filter.js";
import type { PodInfo } from "../state/pod-info.js";
import { planVolumes, type VolumePlan, type VolumeView } from "./needs.js";
import { Bell } from "../state/bell.js";

/** The wait for the volumes of a pod. */
interface BindWait {
  /** Whether the pod still exists. */
  isThere(): boolean;
  readonly timeoutMs: number;
}
const attachmentsByNode = "volume-attachments-by-node";

export interface VolumeBinderOptions {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly clock: Clock;
}

export class VolumeBinder {
  readonly view: VolumeView;
  readonly #options: VolumeBinderOptions;
  /** Wakes the bindings that wait for a change. */
  readonly #bell = new Bell();

  constructor(options: VolumeBinderOptions) {
    this.#options = options;
    const claims = options.informers.informer(PersistentVolumeClaim).indexer;
    const volumes = options.informers.informer(PersistentVolume).indexer;
    const classes = options.informers.informer(StorageClass).indexer;
    const drivers = options.informers.informer(CSIDriver).indexer;
    const csiNodes = options.informers.informer(CSINode).indexer;
    const capacities = options.informers.informer(CSIStorageCapacity).indexer;
    const attachments = options.informers.informer(VolumeAttachment);
    attachments.addIndexers({ [attachmentsByNode]: ({ spec }) => [spec.nodeName] });
    this.view = {
      claim: (key) => claims.get(key),
      volume: (name) => volumes.get(name),
      volumes: () => volumes.list(),
      storageClass: (name) => classes.get(name),
      csiDriver: (name) => drivers.get(name),
      csiNode: (name) => csiNodes.get(name),
      capacities: () => capacities.list(),
      attachments: (node) => attachments.indexer.byIndex(attachmentsByNode, node),
    };
  }

  /** Reports each change that may let a pod fit. */
  follow(onEvent: (event: ClusterEvent) => void): readonly HandlerRegistration[] {
    const { informers } = this.#options;
    const changed = (claim?: string): void => {
      onEvent({ type: "storage-changed", ...defined({ claim }) });
      this.wake();
    };
    const any = { onAdd: () => changed(), onUpdate: () => changed() };
    return [
      informers.informer(PersistentVolume).addEventHandler(any),
      informers.informer(StorageClass).addEventHandler(any),
      informers.informer(CSIDriver).addEventHandler(any),
      informers.informer(CSINode).addEventHandler(any),
      informers.informer(CSIStorageCapacity).addEventHandler(any),
      informers.informer(VolumeAttachment).addEventHandler({ onDelete: () => changed() }),
      informers.informer(PersistentVolumeClaim).addEventHandler({
        onAdd: (claim) => changed(metaNamespaceKey(claim)),
        onUpdate: (previous, claim) => {
          if (!sameRevision(previous, claim)) changed(metaNamespaceKey(claim));
        },
        onDelete: () => this.wake(),
      }),
    ];
  }

  /** Makes waiting bindings check their claims again. */
  wake(): void {
    this.#bell.ring();
  }

  /** Resolves when all volumes of the pod are bound; at once if they are. */
  async bind(pod: PodInfo, node: Node, { isThere, timeoutMs }: BindWait, signal: AbortSignal): Promise<void> {
    try {
      const { bind, provision } = await this.#write(planVolumes(pod, node, this.view), node, signal);
      const claims = [...bind.map(({ claim }) => claim), ...provision];
      const deadline = this.#options.clock.monotonic() + timeoutMs;
      while (!claims.every((claim) => this.#has(claim, node, provision.includes(claim)))) {
        if (!isThere()) throw new Error("binding volumes: pod does not exist any more");
        await this.#change(deadline - this.#options.clock.monotonic(), signal);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      const message = messageOf(error);
      throw new Error(`running PreBind plugin "VolumeBinding": ${message}`, { cause: error });
    }
  }

  /** Writes the plan; gives it with the objects that the server returned. */
  async #write({ bind, provision, conflicts }: VolumePlan, node: Node, signal: AbortSignal): Promise<VolumePlan> {
    const { client } = this.#options;
    for (const { volume, claim } of bind) {
      const wanted = claimed(volume, claim);
      if (wanted !== volume) await client.resource(PersistentVolume).update(wanted, { signal });
    }
    const asked: PersistentVolumeClaim[] = [];
    for (const claim of provision) {
      const annotations = { ...claim.metadata.annotations, [selectedNode]: node.metadata.name };
      const wanted = { ...claim, metadata: { ...claim.metadata, annotations } };
      asked.push(await client.resource(PersistentVolumeClaim).update(wanted, { signal }));
    }
    return { bind, provision: asked, conflicts };
  }

  #has(asked: PersistentVolumeClaim, node: Node, isProvisioned: boolean): boolean {
    const name = JSON.stringify(asked.metadata.name);
    const claim = this.view.claim(metaNamespaceKey(asked));
    if (claim === undefined) throw new Error(`binding volumes: persistentvolumeclaim ${name} not found`);
    if (compareRevisions(claim.metadata.resourceVersion ?? "0", asked.metadata.resourceVersion ?? "0") < 0)
      return false;
    // the provisioner removes the annotation to give the claim back
    if (isProvisioned && claim.metadata.annotations?.[selectedNode] !== node.metadata.name) {
      throw new Error(`binding volumes: provisioning failed for PVC ${name}`);
    }
    const volume = claim.spec?.volumeName ? this.view.volume(claim.spec.volumeName) : undefined;
    if (volume !== undefined && !isReachableFrom(volume, node)) {
      const [of, at] = [volume.metadata.name, node.metadata.name].map((one) => JSON.stringify(one));
      throw new Error(
        `binding volumes: pv ${of} node affinity doesn't match node ${at}: no matching NodeSelectorTerms`,
      );
    }
    return isBound(claim);
  }

  async #change(withinMs: number, signal: AbortSignal): Promise<void> {
    if (withinMs <= 0) throw new Error("binding volumes: context deadline exceeded");
    await this.#bell.wait(this.#options.clock, withinMs, signal);
  }
}
