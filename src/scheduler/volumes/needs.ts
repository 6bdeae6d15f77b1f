/** Plans the volumes of a pod on a node, and the writes that they need. Pure. */
import {
  controllerOf,
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  isDeleting,
  labelSelectorAsSelector,
  type Node,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  type VolumeAttachment,
} from "../../api/index.js";
import {
  bestVolume,
  classOf,
  isBound,
  isReachableFrom,
  noProvisioner,
  requestOf,
  selectedNode,
  waitsForConsumer,
} from "../../placement/volume-claims.js";
import type { PodInfo } from "../state/pod-info.js";
import { own } from "../../base/members.js";

/** Reads the caches of claims, volumes and classes. */
export interface VolumeView {
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  csiNode(name: string): CSINode | undefined;
  /** The free space of storage systems. */
  capacities(): Iterable<CSIStorageCapacity>;
  /** The attachments to a node. */
  attachments(node: string): readonly VolumeAttachment[];
}

/** The reason why no node can fit, whichever there are; undefined if it depends on the node. */
export function whyNowhere({ pod, claims: used }: PodInfo, view: VolumeView): string | undefined {
  const claims: PersistentVolumeClaim[] = [];
  for (const { key, name, ephemeral } of used) {
    const quoted = JSON.stringify(name);
    const claim = view.claim(key);
    if (claim === undefined) {
      return ephemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
        : `persistentvolumeclaim ${quoted} not found`;
    }
    if (claim.status?.phase === "Lost") {
      const volume = JSON.stringify(claim.spec?.volumeName ?? "");
      return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volume}`;
    }
    if (isDeleting(claim)) return `persistentvolumeclaim ${quoted} is being deleted`;
    if (ephemeral && controllerOf(claim)?.uid !== pod.metadata.uid) {
      const { namespace, name: podName } = pod.metadata;
      return `PVC ${key} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    }
    claims.push(claim);
  }
  const isLate = (claim: PersistentVolumeClaim): boolean =>
    !isBound(claim) && !(waitsForConsumer(view.storageClass(classOf(claim))) && !claim.spec?.volumeName);
  if (claims.some(isLate)) return "pod has unbound immediate PersistentVolumeClaims";
  const missing = claims.map(({ spec }) => spec?.volumeName).find((name) => name && view.volume(name) === undefined);
  return missing === undefined ? undefined : `persistentvolume ${JSON.stringify(missing)} not found`;
}

export interface VolumePlan {
  /** Existing volumes, and the claims that get them. */
  readonly bind: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  /** Claims for which a volume must be provisioned for this node. */
  readonly provision: readonly PersistentVolumeClaim[];
  /** The reasons why the node does not fit; if there are any, the other lists are empty. */
  readonly conflicts: readonly string[];
}

const nodeConflict = "node(s) didn't match PersistentVolume's node affinity";
const bindConflict = "node(s) didn't find available persistent volumes to bind";
const spaceConflict = "node(s) did not have enough free storage";

/** For a pod for which `whyNowhere` gave undefined. */
export function planVolumes({ claims: used }: PodInfo, node: Node, view: VolumeView): VolumePlan {
  const claims = used.flatMap(({ key }) => view.claim(key) ?? []);
  const waiting = claims.filter((claim) => !isBound(claim));
  const found = forWaiting(waiting, node, view);
  const volumes = claims.filter(isBound).flatMap(({ spec }) => view.volume(spec?.volumeName ?? "") ?? []);
  const isReachable = volumes.every((volume) => isReachableFrom(volume, node));
  const conflicts = [...(isReachable ? [] : [nodeConflict]), ...(typeof found === "string" ? [found] : [])];
  return typeof found === "string" || !isReachable ? { bind: [], provision: [], conflicts } : { ...found, conflicts };
}

/**
 * Plans the claims that wait for their first consumer, the smallest first; gives the reason if one of them cannot be
 * served on this node.
 */
function forWaiting(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  view: VolumeView,
): Pick<VolumePlan, "bind" | "provision"> | string {
  const bind: { volume: PersistentVolume; claim: PersistentVolumeClaim }[] = [];
  const provision: PersistentVolumeClaim[] = [];
  const taken = new Set<string>();
  for (const claim of claims.toSorted((a, b) => requestOf(a).compare(requestOf(b)))) {
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected !== undefined && selected !== node.metadata.name) return bindConflict;
    const volume =
      selected === undefined ? bestVolume(claim, view.volumes(), { delayed: true, node, taken }) : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      bind.push({ volume, claim });
      continue;
    }
    const storageClass = view.storageClass(classOf(claim));
    if (storageClass === undefined || !makesVolumesFor(node, storageClass)) return bindConflict;
    if (!hasSpace(claim, { node, storageClass, view })) return spaceConflict;
    provision.push(claim);
  }
  return { bind, provision };
}

/** Whether the storage system, if it tells its free space, has enough of it for the claim. */
function hasSpace(
  claim: PersistentVolumeClaim,
  { node, storageClass, view }: { readonly node: Node; readonly storageClass: StorageClass; readonly view: VolumeView },
): boolean {
  if (!view.csiDriver(storageClass.provisioner)?.spec.storageCapacity) return true;
  const wanted = requestOf(claim);
  for (const { storageClassName, maximumVolumeSize, capacity, nodeTopology } of view.capacities()) {
    const limit = maximumVolumeSize ?? capacity;
    if (storageClassName !== storageClass.metadata.name || limit === undefined || nodeTopology === undefined) continue;
    if (parseQuantity(limit).compare(wanted) < 0) continue;
    if (labelSelectorAsSelector(nodeTopology).matches(node.metadata.labels ?? {})) return true;
  }
  return false;
}

function makesVolumesFor(
  { metadata: { labels = {} } }: Node,
  { provisioner, allowedTopologies = [] }: StorageClass,
): boolean {
  if (provisioner === noProvisioner) return false;
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(own(labels, key) ?? "\0")),
    )
  );
}
