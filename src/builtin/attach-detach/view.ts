/** The volumes that nodes need, from caches of pods, claims, volumes and drivers. */
import {
  CSIDriver,
  isDeleting,
  metaNamespaceKey,
  type Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../api/index.js";
import type { KeyLoop } from "../../controller/index.js";
import type { FactoryInformer, SharedInformerFactory } from "../../informer/index.js";
import { attachableName, attachesByController } from "../../placement/attachments.js";
import { isTerminal } from "../../placement/pod-phase.js";
import { indexByNode, podsOnNode } from "../../placement/pods-by-node.js";
import { claimsOfPod } from "../../placement/volume-claims.js";
import type { WantedVolume } from "./plan.js";

const podsOfClaim = "pods-of-attachable-claim";
const claimsOfVolume = "claims-of-volume";

/** True if the pod needs its volumes no more: it is over, or was told to go and no container of it runs. */
function isDone(pod: Pod): boolean {
  if (isTerminal(pod)) return true;
  if (!isDeleting(pod)) return false;
  return (pod.status?.containerStatuses ?? []).every(({ state }) => state?.running === undefined);
}

export class WantedVolumes {
  readonly #pods: FactoryInformer<Pod>;
  readonly #claims: FactoryInformer<PersistentVolumeClaim>;
  readonly #volumes: FactoryInformer<PersistentVolume>;
  readonly #drivers: FactoryInformer<CSIDriver>;

  constructor(informers: SharedInformerFactory) {
    this.#pods = informers.informer(Pod);
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.#volumes = informers.informer(PersistentVolume);
    this.#drivers = informers.informer(CSIDriver);
    indexByNode(this.#pods);
    this.#pods.addIndexers({ [podsOfClaim]: (pod) => claimsOfPod(pod).map(({ key }) => key) });
    this.#claims.addIndexers({ [claimsOfVolume]: ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []) });
  }

  /** Changes of pods, claims and volumes wake the nodes that may need other volumes for them. */
  wakes(loop: KeyLoop): void {
    loop.watch(this.#pods, ({ object }, wake) => {
      if (object.spec?.nodeName && claimsOfPod(object).length > 0) wake(object.spec.nodeName);
    });
    loop.watch(this.#claims, ({ object }, wake) => {
      for (const node of this.#nodesOfClaim(metaNamespaceKey(object))) wake(node);
    });
    loop.watch(this.#volumes, ({ object }, wake) => {
      for (const node of this.nodesOf(object.metadata.name)) wake(node);
    });
  }

  /** The nodes of the pods that name this volume. */
  nodesOf(volume: string): readonly string[] {
    const claims = this.#claims.indexer.indexKeys(claimsOfVolume, volume);
    return claims.flatMap((claim) => this.#nodesOfClaim(claim));
  }

  /** Nothing for a node that attaches its volumes itself. */
  on(node: Node): readonly WantedVolume[] {
    if (node.metadata.annotations?.[attachesByController] === undefined) return [];
    const wanted = new Map<string, WantedVolume>();
    for (const pod of podsOnNode(this.#pods.indexer, node.metadata.name)) {
      if (isDone(pod)) continue;
      for (const { key } of claimsOfPod(pod)) {
        const volume = this.#volumeOf(key);
        const name = volume && attachableName(volume);
        if (volume === undefined || name === undefined) continue;
        wanted.set(name, { name, volume, pods: [...(wanted.get(name)?.pods ?? []), pod] });
      }
    }
    return [...wanted.values()];
  }

  #nodesOfClaim(key: string): readonly string[] {
    return this.#pods.indexer.byIndex(podsOfClaim, key).flatMap(({ spec }) => spec?.nodeName ?? []);
  }

  /** The volume behind a claim, if the control plane has to attach it. */
  #volumeOf(claimKey: string): PersistentVolume | undefined {
    const claim = this.#claims.indexer.get(claimKey);
    if (claim?.status?.phase !== "Bound") return undefined;
    const volume = this.#volumes.indexer.get(claim.spec?.volumeName ?? "");
    if (volume?.spec?.claimRef?.uid !== claim.metadata.uid) return undefined;
    const driver = this.#drivers.indexer.get(volume?.spec?.csi?.driver ?? "");
    return driver?.spec.attachRequired === false ? undefined : volume;
  }
}
