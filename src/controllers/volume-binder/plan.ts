/** Which volume a claim gets, and what the two say of each other. Pure; from the binder's syncs. */
import {
  labelSelectorAsSelector,
  type ObjectReference,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from "../../api/index.js";

export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";
export const selectedNode = "volume.kubernetes.io/selected-node";
const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Empty if it has none. */
export const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

/** Whether the volume is meant for this claim: by its uid, or by its name as long as no uid is said. */
export function isClaimedBy({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef;
  if (ref?.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return ref.uid === undefined || ref.uid === "" || ref.uid === metadata.uid;
}

/** One that was set aside for the claim, else the smallest that is free and serves. A `delayed` claim takes only the first kind. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { delayed }: { readonly delayed: boolean },
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (!serves(volume, claim)) continue;
    if (volume.spec?.claimRef !== undefined) {
      if (isClaimedBy(volume, claim)) return volume;
      continue;
    }
    if (delayed || !isFree(volume) || !matchesSelector(volume, claim)) continue;
    if (best === undefined || capacityOf(volume).compare(capacityOf(best)) < 0) best = volume;
  }
  return best;
}

const isFree = ({ metadata, status }: PersistentVolume): boolean =>
  metadata.deletionTimestamp === undefined && (status?.phase ?? "Available") === "Available";

function serves(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = new Set<string>(volume.spec?.accessModes);
  return (
    classOf(volume) === classOf(claim) &&
    (volume.spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem") &&
    (volume.spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "") &&
    (claim.spec?.accessModes ?? []).every((mode) => modes.has(mode)) &&
    capacityOf(volume).compare(requestOf(claim)) >= 0
  );
}

function matchesSelector({ metadata }: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  return spec?.selector === undefined || labelSelectorAsSelector(spec.selector).matches(metadata.labels ?? {});
}

const capacityOf = ({ spec }: PersistentVolume) => parseQuantity(spec?.capacity?.["storage"] ?? "0");
const requestOf = ({ spec }: PersistentVolumeClaim) => parseQuantity(spec?.resources?.requests?.["storage"] ?? "0");

export function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** The volume as it is when it belongs to the claim; the same object if it does already. */
export function claimed(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const { annotations } = volume.metadata;
  // whoever set it aside by name wants it to stay so
  const mark = volume.spec?.claimRef === undefined ? { [boundByController]: "yes" } : {};
  return {
    ...volume,
    metadata: { ...volume.metadata, annotations: { ...annotations, ...mark } },
    spec: { ...volume.spec, claimRef: referenceTo(claim) },
  };
}

/** The claim as it is when it has the volume; the same object if it has it already. */
export function having(claim: PersistentVolumeClaim, { metadata: { name } }: PersistentVolume): PersistentVolumeClaim {
  const { annotations = {} } = claim.metadata;
  if (claim.spec?.volumeName === name && annotations[bindCompleted] !== undefined) return claim;
  const mark = claim.spec?.volumeName === name ? {} : { [boundByController]: "yes" };
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...annotations, ...mark, [bindCompleted]: "yes" } },
    spec: { ...claim.spec, volumeName: name },
  };
}
