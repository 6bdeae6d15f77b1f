/** Rules for volume sources, one for each type. */
import { lookup } from "../../../../base/members.js";
import { byteLength, isDns1123Subdomain, type PersistentVolumeSpec, type Volume } from "../../../../api/index.js";
import {
  descendingPath,
  dns1123Label,
  dns1123Subdomain,
  formed,
  type Issues,
  noBacksteps,
  optionalOneOf,
  type Path,
  required,
  requiredFields,
} from "../rules/issues.js";
import { changed, filled } from "../rules/fill.js";

/** The type of a source; those here are common to pod volumes and persistent volumes. */
type Source<Name extends keyof Volume | keyof PersistentVolumeSpec> = Name extends keyof Volume
  ? NonNullable<Volume[Name]>
  : Name extends keyof PersistentVolumeSpec
    ? NonNullable<PersistentVolumeSpec[Name]>
    : never;

/** The fields that a source of a type has if they are not given. */
const sourceDefaults: Readonly<Record<string, object>> = lookup({
  hostPath: { type: "" },
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
});

/** The volume with the defaults of its source. */
export function filledSource<T extends Volume | PersistentVolumeSpec>(volume: T): T {
  let result = volume;
  for (const [type, defaults] of Object.entries(sourceDefaults))
    result = changed(result, type as keyof T, (source) => filled(source as object, defaults) as never);
  return result;
}

const partition = "must be between 1 and 255, inclusive";

const hostPathTypes: readonly string[] = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export function* hostPath(at: Path, { path, type }: Source<"hostPath">): Issues {
  if (path === "") {
    yield at.child("path").required();
    return;
  }
  yield* noBacksteps(at.child("path"), path);
  yield* optionalOneOf(at.child("type"), type, hostPathTypes);
}

export function* gitRepo(at: Path, source: Source<"gitRepo">): Issues {
  yield* requiredFields(at, source, "repository");
  yield* descendingPath(at.child("directory"), source.directory ?? "");
}

export function* diskWithPartition(at: Path, idField: string, source: object): Issues {
  yield* requiredFields(at, source, idField);
  const { partition: number = 0 } = source as { readonly partition?: number };
  if (number < 0 || number > 255) yield at.child("partition").invalid(number, partition);
}

export function* nfs(at: Path, source: Source<"nfs">): Issues {
  yield* requiredFields(at, source, "server", "path");
  const path = source.path ?? "";
  if (!path.startsWith("/")) yield at.child("path").invalid(path, "must be an absolute path");
}

const iscsiForms: Readonly<Record<string, (name: string) => boolean>> = lookup({
  iqn: hasQualifiedName,
  eui: (name) => /^eui.[a-zA-Z0-9]{16}$/.test(name),
  naa: (name) => /^naa.[a-zA-Z0-9]{32}$/.test(name),
});

/**
 * Whether upstream's expression `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$` matches anywhere in the name,
 * found in time that grows with the length alone.
 */
function hasQualifiedName(name: string): boolean {
  const parts = (name.split(/[,;*&$|\s]/).at(-1) as string).split(":");
  const last = parts.at(-1) === "" ? parts.length - 2 : parts.length - 1;
  const authorities = parts.slice(0, Math.max(0, last)).map((part) => part.split(/[^a-zA-Z0-9\-.]/).at(-1) as string);
  return authorities.some((authority) => /iqn\.\d{4}-\d{2}\../.test(authority));
}

function* iscsiName(at: Path, name: string, unknown: string): Issues {
  const form = iscsiForms[name.slice(0, 3)];
  if (form === undefined) yield at.invalid(name, unknown);
  else if (!form(name)) yield at.invalid(name, "must be valid format");
}

/** One message is worded differently for `persistent` sources. */
export function* iscsi(at: Path, source: Source<"iscsi">, persistent: boolean): Issues {
  const unknown = persistent ? "must be valid format" : "must be valid format starting with iqn, eui, or naa";
  yield* requiredFields(at, source, "targetPortal");
  yield* required(at.child("iqn"), source.iqn, (here, name) => iscsiName(here, name, unknown));
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) yield at.child("lun").invalid(lun, "must be between 0 and 255, inclusive");
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined) {
    yield at.child("secretRef").required();
  }
  if (persistent && source.secretRef !== undefined)
    yield* requiredFields(at.child("secretRef"), source.secretRef, "name");
  if (source.initiatorName !== undefined) yield* iscsiName(at.child("initiatorname"), source.initiatorName, unknown);
}

export const iscsiNamesTooLong =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

export function* fc(at: Path, { targetWWNs = [], wwids = [], lun }: Source<"fc">): Issues {
  const here = at.child("targetWWNs");
  if (targetWWNs.length === 0 && wwids.length === 0) {
    yield here.required("must specify either targetWWNs or wwids, but not both");
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    yield here.invalid(targetWWNs, "targetWWNs and wwids can not be specified simultaneously");
  }
  if (targetWWNs.length === 0) return;
  if (lun === undefined) yield at.child("lun").required("lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) yield at.child("lun").invalid(lun, "must be between 0 and 255, inclusive");
}

export function* quobyte(at: Path, { registry, tenant = "", volume }: Source<"quobyte">): Issues {
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  if (registry === "") yield at.child("registry").required(pairs);
  else if (tenant.length >= 65) {
    yield at.child("tenant").required("must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const pair of registry.split(",")) {
      if (!/^(?:[^:]*|\[[^\]]*\]):[^:]*$/.test(pair)) yield at.child("registry").invalid(registry, pairs);
    }
  }
  yield* requiredFields(at, { volume }, "volume");
}

export function* flocker(at: Path, { datasetName = "", datasetUUID = "" }: Source<"flocker">): Issues {
  if (datasetName === "" && datasetUUID === "") {
    yield at.required("one of datasetName and datasetUUID is required");
  }
  if (datasetName !== "" && datasetUUID !== "") {
    yield at.invalid("resource", "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (datasetName.includes("/")) yield at.child("datasetName").invalid(datasetName, "must not contain '/'");
}

export function* flexVolume(at: Path, source: Source<"flexVolume">): Issues {
  yield* requiredFields(at, source, "driver");
  for (const key of Object.keys(source.options ?? {})) {
    const namespace = `.${(key.split("/", 1)[0] as string).toLowerCase()}`;
    if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
      yield at.child("options").key(key).invalid(key, "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
}

export function* azureDisk(at: Path, source: Source<"azureDisk">): Issues {
  yield* requiredFields(at, source, "diskName", "diskURI");
  const { cachingMode, kind, diskURI } = source;
  yield* optionalOneOf(at.child("cachingMode"), cachingMode, ["None", "ReadOnly", "ReadWrite"]);
  yield* optionalOneOf(at.child("kind"), kind, ["Dedicated", "Managed", "Shared"]);
  if (kind === "Managed" && !diskURI.startsWith("/subscriptions/")) {
    const form = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    yield at.child("diskURI").notSupported(diskURI, [form]);
  } else if (kind !== undefined && kind !== "Managed" && !diskURI.startsWith("https://")) {
    const form = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    yield at.child("diskURI").notSupported(diskURI, [form]);
  }
}

export function* storageOs(at: Path, source: Source<"storageos">, persistent: boolean): Issues {
  const { volumeName = "", volumeNamespace = "", secretRef } = source;
  yield* required(at.child("volumeName"), volumeName, dns1123Label);
  if (volumeNamespace !== "") yield* dns1123Label(at.child("volumeNamespace"), volumeNamespace);
  if (secretRef === undefined) return;
  yield* requiredFields(at.child("secretRef"), secretRef, ...(persistent ? ["name", "namespace"] : ["name"]));
}

export function* cinder(at: Path, source: Source<"cinder">, persistent: boolean): Issues {
  yield* requiredFields(at, source, "volumeID");
  if (source.secretRef === undefined) return;
  yield* requiredFields(at.child("secretRef"), source.secretRef, ...(persistent ? ["name", "namespace"] : ["name"]));
}

export function* csiDriverName(at: Path, name: string): Issues {
  if (name === "") {
    yield at.required();
    return;
  }
  if (byteLength(name) > 63) yield at.tooLong(63);
  yield* formed(at, name, isDns1123Subdomain(name.toLowerCase()));
}

export function* csi(at: Path, source: Source<"csi">): Issues {
  yield* csiDriverName(at.child("driver"), source.driver ?? "");
  const { nodePublishSecretRef } = source as NonNullable<Volume["csi"]>;
  if (nodePublishSecretRef === undefined) return;
  const { name = "" } = nodePublishSecretRef;
  if (name === "") yield at.child("nodePublishSecretRef", "name").required();
  else yield* dns1123Subdomain(at.child("name"), name);
}

const secretReferences = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

export function* persistentCsi(at: Path, source: NonNullable<PersistentVolumeSpec["csi"]>): Issues {
  yield* csiDriverName(at.child("driver"), source.driver ?? "");
  yield* requiredFields(at, source, "volumeHandle");
  for (const field of secretReferences) {
    const reference = source[field];
    if (reference === undefined) continue;
    const { name = "", namespace = "" } = reference;
    const here = at.child(field);
    yield* required(here.child("name"), name, dns1123Subdomain);
    yield* required(here.child("namespace"), namespace, dns1123Label);
  }
}

/** One rule of a list of possible sources. */
export interface SourceRule {
  readonly field: string;
  /** The field's name in the error when it is one source too many, where that differs. */
  readonly forbiddenAs?: string;
  /** Whether the source is validated even if it is one too many, which is then not reported. */
  readonly alwaysJudged?: boolean;
  /** `subject` is the object around the source, as far as its rule needs it. */
  readonly validate: (at: Path, source: never, subject: never) => Issues;
}

const fields =
  (...names: readonly string[]) =>
  (at: Path, source: object): Issues =>
    requiredFields(at, source, ...names);

type PlainSource =
  | "glusterfs"
  | "rbd"
  | "cephfs"
  | "azureFile"
  | "vsphereVolume"
  | "photonPersistentDisk"
  | "portworxVolume"
  | "scaleIO";

/** Sources that only require some fields, for pods and persistent volumes alike. */
export const plainSources: Readonly<Record<PlainSource, (at: Path, source: object) => Issues>> = {
  glusterfs: fields("endpoints", "path"),
  rbd: fields("monitors", "image"),
  cephfs: fields("monitors"),
  azureFile: fields("secretName", "shareName"),
  vsphereVolume: fields("volumePath"),
  photonPersistentDisk: fields("pdID"),
  portworxVolume: fields("volumeID"),
  scaleIO: fields("gateway", "system", "volumeName"),
};

/** Requires exactly one of the sources; the first one found is validated, further ones are refused. */
export function* oneSource(at: Path, volume: object, rules: readonly SourceRule[], subject?: object): Issues {
  const given = volume as Readonly<Record<string, unknown>>;
  let found = 0;
  for (const { field, forbiddenAs, validate, alwaysJudged } of rules) {
    const source = given[field];
    if (source === undefined) continue;
    if (found > 0 && alwaysJudged !== true)
      yield at.child(forbiddenAs ?? field).forbidden("may not specify more than 1 volume type");
    else yield* validate(at, source as never, subject as never);
    found++;
  }
  if (found === 0) yield at.required("must specify a volume type");
}
