/** Default classes: chosen for claims and ingresses that name no class. At most one priority class may be the default. */
import {
  type Ingress,
  type IngressClass,
  type KubeObject,
  newForbidden,
  type PersistentVolumeClaim,
  type PriorityClass,
  type StorageClass,
} from "../../api/index.js";
import type { Store } from "../storage/contract.js";
import type { AdmissionPlugin } from "../contracts/admission.js";
import { onCreate } from "./on-create.js";

/** The newest class that is marked as default; by name among those of the same age. */
function newestDefault<T extends KubeObject>(store: Store, collection: string, annotation: string): T | undefined {
  const bornAt = ({ metadata }: T): string => metadata.creationTimestamp ?? "";
  return store
    .list({ collection, prefix: "", from: "" })
    .items.map(({ object }) => object as T)
    .filter(({ metadata }) => metadata.annotations?.[annotation] === "true")
    .reduce<T | undefined>(
      (newest, one) => (newest === undefined || bornAt(one) > bornAt(newest) ? one : newest),
      undefined,
    );
}

export function defaultStorageClass(store: Store): AdmissionPlugin {
  return onCreate("DefaultStorageClass", { group: "", plural: "persistentvolumeclaims" }, (object) => {
    const claim = object as PersistentVolumeClaim;
    const annotated = claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
    if (claim.spec?.storageClassName !== undefined || annotated !== undefined) return claim;
    const chosen = newestDefault<StorageClass>(
      store,
      "storage.k8s.io/storageclasses",
      "storageclass.kubernetes.io/is-default-class",
    );
    if (chosen === undefined) return claim;
    return { ...claim, spec: { ...claim.spec, storageClassName: chosen.metadata.name } } as PersistentVolumeClaim;
  });
}

export function defaultIngressClass(store: Store): AdmissionPlugin {
  return onCreate("DefaultIngressClass", { group: "networking.k8s.io", plural: "ingresses" }, (object) => {
    const ingress = object as Ingress;
    const annotated = ingress.metadata.annotations?.["kubernetes.io/ingress.class"];
    if (ingress.spec?.ingressClassName !== undefined || annotated !== undefined) return ingress;
    const chosen = newestDefault<IngressClass>(
      store,
      "networking.k8s.io/ingressclasses",
      "ingressclass.kubernetes.io/is-default-class",
    );
    if (chosen === undefined) return ingress;
    return { ...ingress, spec: { ...ingress.spec, ingressClassName: chosen.metadata.name } };
  });
}

/** Refuses a second global default. */
export function priorityClasses(store: Store): AdmissionPlugin {
  const resource = { group: "scheduling.k8s.io", resource: "priorityclasses" };
  return {
    name: "Priority",
    validate({ operation, resource: of, object, name }) {
      if (
        of.group !== resource.group ||
        of.resource !== resource.resource ||
        object === undefined ||
        operation === "DELETE"
      )
        return;
      if (!(object as PriorityClass).globalDefault) return;
      const { items } = store.list({ collection: "scheduling.k8s.io/priorityclasses", prefix: "", from: "" });
      const other = items
        .map((stored) => stored.object as PriorityClass)
        .find((one) => one.globalDefault && one.metadata.name !== name);
      if (other === undefined) return;
      throw newForbidden(
        resource,
        name,
        `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}
