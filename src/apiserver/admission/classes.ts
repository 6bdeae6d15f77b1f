/** Default classes: chosen for claims and ingresses that name no class. At most one priority class may be the default. */
import { type KubeObject, newForbidden, type PriorityClass } from "../../api/index.js";
import { objectsIn, type Store } from "../storage/contract.js";
import type { AdmissionPlugin } from "../contracts/admission.js";
import { onCreate } from "./on-create.js";

interface DefaultClass {
  /** The kind of objects that name a class. */
  readonly of: { readonly group: string; readonly plural: string };
  /** The field of their spec with the name, and the annotation that named a class before there was the field. */
  readonly field: "storageClassName" | "ingressClassName";
  readonly annotation: string;
  readonly collection: string;
  /** The annotation of a class that is the default. */
  readonly mark: string;
}

/** Gives an object that names no class the newest class that is marked as default; by name among those of the same age. */
function defaultClass(store: Store, plugin: string, wanted: DefaultClass): AdmissionPlugin {
  const bornAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? "";
  return onCreate(plugin, wanted.of, (object: KubeObject & { readonly spec?: Readonly<Record<string, unknown>> }) => {
    const { annotations } = object.metadata;
    if (object.spec?.[wanted.field] !== undefined || annotations?.[wanted.annotation] !== undefined) return object;
    const classes = objectsIn(store, wanted.collection).filter(
      ({ metadata }) => metadata.annotations?.[wanted.mark] === "true",
    );
    const [first, ...others] = classes;
    if (first === undefined) return object;
    const newest = others.reduce((best, one) => (bornAt(one) > bornAt(best) ? one : best), first);
    return { ...object, spec: { ...object.spec, [wanted.field]: newest.metadata.name } };
  });
}

export const defaultStorageClass = (store: Store): AdmissionPlugin =>
  defaultClass(store, "DefaultStorageClass", {
    of: { group: "", plural: "persistentvolumeclaims" },
    field: "storageClassName",
    annotation: "volume.beta.kubernetes.io/storage-class",
    collection: "storage.k8s.io/storageclasses",
    mark: "storageclass.kubernetes.io/is-default-class",
  });

export const defaultIngressClass = (store: Store): AdmissionPlugin =>
  defaultClass(store, "DefaultIngressClass", {
    of: { group: "networking.k8s.io", plural: "ingresses" },
    field: "ingressClassName",
    annotation: "kubernetes.io/ingress.class",
    collection: "networking.k8s.io/ingressclasses",
    mark: "ingressclass.kubernetes.io/is-default-class",
  });

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
      const all = objectsIn<PriorityClass>(store, "scheduling.k8s.io/priorityclasses");
      const other = all.find((one) => one.globalDefault && one.metadata.name !== name);
      if (other === undefined) return;
      throw newForbidden(
        resource,
        name,
        `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}
