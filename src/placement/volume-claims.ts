/**
 * Claims and volumes, as the volume binder and the scheduler both see them: which volumes fit a claim, and how they
 * refer to each other. Pure.
 */
import {
  labelSelectorAsSelector,
  type Node,
  nodeSelectorTerm,
  type ObjectReference,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
} from "../api/index.js";
import { defined } from "../base/defined.js";

export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";
export const selectedNode = "volume.kubernetes.io/selected-node";
/** The provisioner of a class that makes no volumes. */
export const noProvisioner = "kubernetes.io/no-provisioner";
const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Empty if there is no class. */
export const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

/** True if the claim names no class, not even the empty one: it may get the default class later. */
export const saysNoClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (metadata.annotations?.[classAnnotation] ?? spec?.storageClassName) === undefined;

export const waitsForConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer";

export const isBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  Boolean(spec?.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;

export interface ClaimOfPod {
  readonly key: string;
  readonly name: string;
  /** True if the claim is made for this pod alone. */
  readonly ephemeral: boolean;
}

export function claimsOfPod({ metadata: { namespace, name: pod }, spec }: Pod): readonly ClaimOfPod[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    const ephemeral = volume.ephemeral !== undefined;
    const name = ephemeral ? `${pod}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
    return name === undefined ? [] : [{ key: `${namespace}/${name}`, name, ephemeral }];
  });
}

/** Whether the volume is reserved for this claim: by its uid, or by its name as long as no uid is set. */
export function isClaimedBy({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (ref?.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return ref.uid === undefined || ref.uid === "" || ref.uid === metadata.uid;
}

export function isReachableFrom({ spec }: PersistentVolume, node: Node): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => nodeSelectorTerm(term)(node));
}

export interface VolumeSearch {
  /** True if the claim waits for its first consumer: without a node it gets only a volume that is reserved for it. */
  readonly delayed: boolean;
  /** The node on which the claim will be used. */
  readonly node?: Node;
  /** The names of volumes that other claims get. */
  readonly taken?: ReadonlySet<string>;
}

/** A volume that is reserved for the claim, else the smallest free one that fits. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { delayed, node, taken }: VolumeSearch,
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken?.has(volume.metadata.name)) continue;
    if (volume.spec?.claimRef !== undefined) {
      if (isSetAsideFor(volume, claim)) return isWithin(node, volume) ? volume : undefined;
      continue;
    }
    if ((delayed && node === undefined) || !isWithin(node, volume) || !isFor(volume, claim)) continue;
    if (best === undefined || capacityOf(volume).compare(capacityOf(best)) < 0) best = volume;
  }
  return best;
}

const isWithin = (node: Node | undefined, volume: PersistentVolume): boolean =>
  node === undefined || isReachableFrom(volume, node);

/** A volume may be reserved for a claim of another class. */
const isSetAsideFor = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  isClaimedBy(volume, claim) && [undefined, otherClass].includes(mismatch(volume, claim));

const isFor = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  isFree(volume) && mismatch(volume, claim) === undefined && matchesSelector(volume, claim);

const isFree = ({ status }: PersistentVolume): boolean => (status?.phase ?? "Available") === "Available";

const otherClass = "storageClassName does not match";

/** The reason why the volume does not fit the claim; undefined if it does. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { name, deletionTimestamp } = volume.metadata;
  const modes = new Set<string>(volume.spec?.accessModes);
  const attributes = ({ spec }: PersistentVolume | PersistentVolumeClaim) => spec?.volumeAttributesClassName ?? "";
  const mode = ({ spec }: PersistentVolume | PersistentVolumeClaim) => spec?.volumeMode ?? "Filesystem";
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  if (capacityOf(volume).compare(requestOf(claim)) < 0) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return otherClass;
  if (attributes(volume) !== attributes(claim)) return "volumeAttributesClassName does not match";
  if (mode(volume) !== mode(claim)) return "incompatible volumeMode";
  return (claim.spec?.accessModes ?? []).every((one) => modes.has(one)) ? undefined : "incompatible accessMode";
}

function matchesSelector({ metadata }: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  return spec?.selector === undefined || labelSelectorAsSelector(spec.selector).matches(metadata.labels ?? {});
}

type Quantity = ReturnType<typeof parseQuantity>;
const capacityOf = ({ spec }: PersistentVolume): Quantity => parseQuantity(spec?.capacity?.["storage"] ?? "0");
export const requestOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  parseQuantity(spec?.resources?.requests?.["storage"] ?? "0");

export function claimReference({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    name,
    ...defined({ namespace, uid, resourceVersion }),
  };
}

/** The volume bound to the claim; the same object if it already is. */
export function claimed(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const { annotations } = volume.metadata;
  // a volume that was reserved by name stays reserved after the claim is gone
  const mark = volume.spec?.claimRef === undefined ? { [boundByController]: "yes" } : {};
  return {
    ...volume,
    metadata: { ...volume.metadata, annotations: { ...annotations, ...mark } },
    spec: { ...volume.spec, claimRef: claimReference(claim) },
  };
}
