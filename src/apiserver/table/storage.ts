/** Tables of volumes, claims, classes and drivers. */
import type {
  CSIDriver,
  CSINode,
  KubeObject,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../api/index.js";
import { age, type Columns, name, nameOrDefault, table, type Tables } from "./kind-table.js";

const modeNames: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

function accessModes(modes: readonly string[] = []): string {
  const shown = modeNames.filter(([mode]) => modes.includes(mode));
  return shown.map(([, short]) => short).join(",");
}

/** The common fields of volumes and claims. */
interface Volume extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string };
}

const phase = ({ metadata, status }: Volume): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating";

const classes: Columns<Volume> = {
  StorageClass: ({ metadata, spec }) =>
    metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "",
  VolumeAttributesClass: ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>",
};

const volumeMode = ({ spec }: Volume): string => spec?.volumeMode ?? "<unset>";

const attachments = table<VolumeAttachment>({
  Name: name,
  Attacher: ({ spec }) => spec.attacher,
  PV: ({ spec }) => spec.source.persistentVolumeName ?? "",
  Node: ({ spec }) => spec.nodeName,
  "Attached:boolean": ({ status }) => status?.attached ?? false,
  Age: age,
});

export const storageTables: Tables = {
  "/PersistentVolume": table<PersistentVolume>({
    Name: name,
    Capacity: ({ spec }) => spec?.capacity?.["storage"] ?? "0",
    "Access Modes": ({ spec }) => accessModes(spec?.accessModes),
    "Reclaim Policy": ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? "",
    Status: phase,
    Claim: ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : ""),
    ...classes,
    Reason: ({ status }) => status?.reason ?? "",
    Age: age,
    "VolumeMode*": volumeMode,
  }),
  "/PersistentVolumeClaim": table<PersistentVolumeClaim>({
    Name: name,
    Status: phase,
    Volume: ({ spec }) => spec?.volumeName ?? "",
    Capacity: ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.["storage"] ?? "0") : ""),
    "Access Modes": ({ spec, status }) => (spec?.volumeName ? accessModes(status?.accessModes) : ""),
    ...classes,
    Age: age,
    "VolumeMode*": volumeMode,
  }),
  "storage.k8s.io/StorageClass": table<StorageClass>({
    Name: nameOrDefault(
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ),
    Provisioner: ({ provisioner }) => provisioner,
    ReclaimPolicy: ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
    VolumeBindingMode: ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
    AllowVolumeExpansion: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    Age: age,
  }),
  "storage.k8s.io/VolumeAttributesClass": table<VolumeAttributesClass>({
    Name: name,
    DriverName: ({ driverName }) => driverName,
    Age: age,
  }),
  "storage.k8s.io/CSINode": table<CSINode>({
    Name: name,
    "Drivers:integer": ({ spec }) => spec.drivers?.length ?? 0,
    Age: age,
  }),
  "storage.k8s.io/CSIDriver": table<CSIDriver>({
    Name: name,
    "AttachRequired:boolean": ({ spec }) => spec.attachRequired ?? true,
    "PodInfoOnMount:boolean": ({ spec }) => spec.podInfoOnMount ?? false,
    "StorageCapacity:boolean": ({ spec }) => spec.storageCapacity ?? false,
    TokenRequests: ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
    "RequiresRepublish:boolean": ({ spec }) => spec.requiresRepublish ?? false,
    Modes: ({ spec }) => (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
    Age: age,
  }),
  // the second column has the format of a name, too
  "storage.k8s.io/VolumeAttachment": {
    ...attachments,
    columns: attachments.columns.map((column) => (column.name === "Attacher" ? { ...column, format: "name" } : column)),
  },
};
