/** Small decisions about other kinds: taints of new nodes, protection of volumes, default classes of storage and ingress. */
import {
  type Ingress,
  type IngressClass,
  type KubeObject,
  newForbidden,
  type Node,
  parseQuantity,
  type PersistentVolumeClaim,
  type PriorityClass,
  type StorageClass,
} from "../../api/index.js";
import type { Store } from "../storage/storage.js";
import type { AdmissionPlugin } from "./admission.js";

/** A plug-in for creations of one resource. */
function onCreate(
  name: string,
  resource: { readonly group: string; readonly plural: string },
  change: (object: KubeObject) => KubeObject,
): AdmissionPlugin {
  return {
    name,
    mutate: ({ operation, resource: of, subresource, object }) =>
      operation === "CREATE" && of.group === resource.group && of.resource === resource.plural && subresource === ""
        ? change(object)
        : object,
  };
}

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

/** Nothing is placed on a node before it says that it is ready. */
export const nodeTaints: AdmissionPlugin = onCreate(
  "TaintNodesByCondition",
  { group: "", plural: "nodes" },
  (object) => {
    const node = object as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return node;
    return { ...node, spec: { ...node.spec, taints: [...taints, notReady] } } as Node;
  },
);

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

/** The newest of those marked as default; by name if they are equally old. */
function defaultOf<T extends KubeObject>(store: Store, collection: string, annotation: string): readonly T[] {
  const { items } = store.list({ collection, prefix: "", from: "" });
  return items
    .map(({ object }) => object as T)
    .filter(({ metadata }) => metadata.annotations?.[annotation] === "true")
    .toSorted((a, b) => ((a.metadata.creationTimestamp ?? "") > (b.metadata.creationTimestamp ?? "") ? -1 : 1));
}

export function defaultStorageClass(store: Store): AdmissionPlugin {
  return onCreate("DefaultStorageClass", { group: "", plural: "persistentvolumeclaims" }, (object) => {
    const claim = object as PersistentVolumeClaim;
    const annotated = claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
    if (claim.spec?.storageClassName !== undefined || annotated !== undefined) return claim;
    const [chosen] = defaultOf<StorageClass>(
      store,
      "storage.k8s.io/storageclasses",
      "storageclass.kubernetes.io/is-default-class",
    );
    if (chosen === undefined) return claim;
    return { ...claim, spec: { ...claim.spec, storageClassName: chosen.metadata.name } } as PersistentVolumeClaim;
  });
}

const classOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";

/** A claim can grow once it has a volume, if the class that made it allows it. */
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

export function defaultIngressClass(store: Store): AdmissionPlugin {
  return onCreate("DefaultIngressClass", { group: "networking.k8s.io", plural: "ingresses" }, (object) => {
    const ingress = object as Ingress;
    const annotated = ingress.metadata.annotations?.["kubernetes.io/ingress.class"];
    if (ingress.spec?.ingressClassName !== undefined || annotated !== undefined) return ingress;
    const [chosen] = defaultOf<IngressClass>(
      store,
      "networking.k8s.io/ingressclasses",
      "ingressclass.kubernetes.io/is-default-class",
    );
    if (chosen === undefined) return ingress;
    return { ...ingress, spec: { ...ingress.spec, ingressClassName: chosen.metadata.name } };
  });
}

/** There is one global default at most. */
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
