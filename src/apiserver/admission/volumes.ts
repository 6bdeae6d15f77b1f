/** Plug-ins for volumes and claims: finalizers that protect them while they are in use, and the growth of claims. */
import {
  type KubeObject,
  newForbidden,
  parseQuantity,
  type PersistentVolumeClaim,
  type StorageClass,
} from "../../api/index.js";
import type { Store } from "../storage/contract.js";
import type { AdmissionPlugin } from "../contracts/admission.js";
import { onCreate } from "./on-create.js";

const withFinalizer = (finalizer: string) => (object: KubeObject) => {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
};

export const claimProtection: AdmissionPlugin = onCreate(
  "StorageObjectInUseProtection",
  { group: "", plural: "persistentvolumeclaims" },
  withFinalizer("kubernetes.io/pvc-protection"),
);

export const volumeProtection: AdmissionPlugin = onCreate(
  "StorageObjectInUseProtection",
  { group: "", plural: "persistentvolumes" },
  withFinalizer("kubernetes.io/pv-protection"),
);

export const attributesProtection: AdmissionPlugin = onCreate(
  "StorageObjectInUseProtection",
  { group: "storage.k8s.io", plural: "volumeattributesclasses" },
  withFinalizer("kubernetes.io/vac-protection"),
);

const classOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";

/** PersistentVolumeClaimResize: a bound claim may grow if its storage class allows it. */
export function claimResize(store: Store): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    validate({ operation, resource, subresource, object, old, name }) {
      if (resource.group !== "" || resource.resource !== "persistentvolumeclaims") return;
      if (operation !== "UPDATE" || subresource !== "") return;
      const [claim, before] = [object, old] as [PersistentVolumeClaim, PersistentVolumeClaim];
      const size = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.["storage"] ?? "0";
      if (parseQuantity(size(claim)).compare(parseQuantity(size(before))) <= 0) return;
      if (before.status?.phase !== "Bound") {
        throw newForbidden(resource, name, "Only bound persistent volume claims can be expanded");
      }
      const storageClass = classOf(claim);
      const found = store.get("storage.k8s.io/storageclasses", storageClass)?.object as StorageClass | undefined;
      if (storageClass !== "" && storageClass === classOf(before) && found?.allowVolumeExpansion) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw newForbidden(resource, name, why);
    },
  };
}
