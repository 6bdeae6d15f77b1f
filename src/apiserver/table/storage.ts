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
import type { TableRenderer } from "../contracts/table.js";
import { table } from "./kind-table.js";

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

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** The common fields of volumes and claims. */
interface Volume extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string };
}

function phase({ metadata, status }: Volume): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating";
}

function classCells({ metadata, spec }: Volume): readonly [storageClass: string, attributesClass: string] {
  const storageClass = metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";
  return [storageClass, spec?.volumeAttributesClassName ?? "<unset>"];
}

function volumeMode({ spec }: Volume): string {
  return spec?.volumeMode ?? "<unset>";
}

export const persistentVolumeTable: TableRenderer = table<PersistentVolume>(
  [
    "Name",
    "Capacity",
    "Access Modes",
    "Reclaim Policy",
    "Status",
    "Claim",
    "StorageClass",
    "VolumeAttributesClass",
    "Reason",
    "Age",
    "VolumeMode*",
  ],
  (volume, { age }) => [
    volume.metadata.name,
    volume.spec?.capacity?.["storage"] ?? "0",
    accessModes(volume.spec?.accessModes),
    volume.spec?.persistentVolumeReclaimPolicy ?? "",
    phase(volume),
    volume.spec?.claimRef ? `${volume.spec.claimRef.namespace ?? ""}/${volume.spec.claimRef.name ?? ""}` : "",
    ...classCells(volume),
    volume.status?.reason ?? "",
    age,
    volumeMode(volume),
  ],
);

export const persistentVolumeClaimTable: TableRenderer = table<PersistentVolumeClaim>(
  [
    "Name",
    "Status",
    "Volume",
    "Capacity",
    "Access Modes",
    "StorageClass",
    "VolumeAttributesClass",
    "Age",
    "VolumeMode*",
  ],
  (claim, { age }) => {
    const { metadata, spec, status } = claim;
    const bound = Boolean(spec?.volumeName);
    return [
      metadata.name,
      phase(claim),
      spec?.volumeName ?? "",
      bound ? (status?.capacity?.["storage"] ?? "0") : "",
      bound ? accessModes(status?.accessModes) : "",
      ...classCells(claim),
      age,
      volumeMode(claim),
    ];
  },
);

const defaultClassAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClassTable: TableRenderer = table<StorageClass>(
  ["Name", "Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", "Age"],
  (object, { age }) => {
    const { annotations, name } = object.metadata;
    const isDefault = defaultClassAnnotations.some((annotation) => annotations?.[annotation] === "true");
    return [
      isDefault ? `${name} (default)` : name,
      object.provisioner,
      object.reclaimPolicy ?? "Delete",
      object.volumeBindingMode ?? "Immediate",
      object.allowVolumeExpansion ?? false,
      age,
    ];
  },
);

export const volumeAttributesClassTable: TableRenderer = table<VolumeAttributesClass>(
  ["Name", "DriverName", "Age"],
  ({ metadata, driverName }, { age }) => [metadata.name, driverName, age],
);

export const csiNodeTable: TableRenderer = table<CSINode>(
  ["Name", "Drivers:integer", "Age"],
  ({ metadata, spec }, { age }) => [metadata.name, spec.drivers?.length ?? 0, age],
);

export const csiDriverTable: TableRenderer = table<CSIDriver>(
  [
    "Name",
    "AttachRequired:boolean",
    "PodInfoOnMount:boolean",
    "StorageCapacity:boolean",
    "TokenRequests",
    "RequiresRepublish:boolean",
    "Modes",
    "Age",
  ],
  ({ metadata, spec }, { age }) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience).join(",") : "<unset>",
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
    age,
  ],
);

/** The second column has the format of a name, too. */
export const volumeAttachmentTable: TableRenderer = withAttacherAsName(
  table<VolumeAttachment>(
    ["Name", "Attacher", "PV", "Node", "Attached:boolean", "Age"],
    ({ metadata, spec, status }, { age }) => [
      metadata.name,
      spec.attacher,
      spec.source.persistentVolumeName ?? "",
      spec.nodeName,
      status?.attached ?? false,
      age,
    ],
  ),
);

function withAttacherAsName(plain: TableRenderer): TableRenderer {
  return {
    ...plain,
    columns: plain.columns.map((column) => (column.name === "Attacher" ? { ...column, format: "name" } : column)),
  };
}
