/** The annotations that the binder and the simulated storage write, and small helpers for them. Pure. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../api/index.js";
import { bindCompleted, boundByController } from "../../placement/volume-claims.js";
import { byName } from "../../api/meta/key.js";

export const provisionedBy = "pv.kubernetes.io/provisioned-by";
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";
const defaultMarks = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
] as const;

/** The newest class that is marked as default; of two with the same time, the first by name. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const age = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? "";
  return classes
    .filter(({ metadata }) => defaultMarks.some((mark) => metadata.annotations?.[mark] === "true"))
    .toSorted((a, b) => (age(a) === age(b) ? byName(a, b) : age(a) < age(b) ? 1 : -1))[0];
}

/** The claim bound to the volume; the same object if it already is. */
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
