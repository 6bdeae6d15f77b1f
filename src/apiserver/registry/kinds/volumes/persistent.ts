/** The strategy of persistent volumes. */
import {
  changedPaths,
  fieldPath,
  formatTime,
  parseQuantity,
  type PersistentVolume as AnyPersistentVolume,
  type PersistentVolumeSpec,
  semanticEqual,
  type VolumeNodeAffinity,
} from "../../../../api/index.js";
import { lookup } from "../../../../base/members.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { nodeSelector, shownTerms } from "../rules/node-selector.js";
import { changed, filled, having, roundedAmounts } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Label,
  dns1123Subdomain,
  immutable,
  inTurn,
  type Issues,
  noBacksteps,
  optionalOneOf,
  type Path,
  required,
  shownLabels,
} from "../rules/issues.js";
import { basicAmount } from "../rules/resources.js";
import { accessModes, volumeModes } from "./claim-spec.js";
import * as sources from "./sources.js";
import type { SourceRule } from "./sources.js";

type PersistentVolume = WithSpec<AnyPersistentVolume>;

const spec = fieldPath("spec");

type Rule = (at: Path, source: never) => Issues;

const rule = (field: string, validate: Rule, path = field, forbiddenAs = field): SourceRule => ({
  field,
  forbiddenAs,
  validate: (at, source) => validate(at.child(path), source),
});

const sourceNames: readonly SourceRule[] = [
  rule("hostPath", sources.hostPath),
  rule("gcePersistentDisk", (at, one) => sources.diskWithPartition(at, "pdName", one), "persistentDisk"),
  rule("awsElasticBlockStore", (at, one) => sources.diskWithPartition(at, "volumeID", one)),
  rule("glusterfs", glusterfs),
  rule("flocker", sources.flocker),
  rule("nfs", sources.nfs),
  rule("rbd", sources.plainSources.rbd),
  rule("quobyte", sources.quobyte),
  rule("cephfs", sources.plainSources.cephfs, "cephfs", "cephFS"),
  rule("iscsi", (at, one) => sources.iscsi(at, one, true)),
  rule("cinder", (at, one) => sources.cinder(at, one, true)),
  rule("fc", sources.fc),
  { ...rule("flexVolume", sources.flexVolume), alwaysJudged: true },
  rule("azureFile", azureFile),
  rule("vsphereVolume", sources.plainSources.vsphereVolume),
  rule("photonPersistentDisk", sources.plainSources.photonPersistentDisk),
  rule("portworxVolume", sources.plainSources.portworxVolume),
  rule("azureDisk", sources.azureDisk),
  rule("scaleIO", sources.plainSources.scaleIO),
  rule("local", local),
  rule("storageos", (at, one) => sources.storageOs(at, one, true)),
  rule("csi", sources.persistentCsi),
];

type Source<Name extends keyof PersistentVolumeSpec> = NonNullable<PersistentVolumeSpec[Name]>;

function* glusterfs(at: Path, source: Source<"glusterfs">): Issues {
  yield* sources.plainSources.glusterfs(at, source);
  const namespace = source.endpointsNamespace;
  const here = at.child("endpointsNamespace");
  if (namespace === "") {
    yield here.invalid(namespace, "if the endpointnamespace is set, it must be a valid namespace name");
  } else if (namespace !== undefined) yield* dns1123Label(here, namespace);
}

function* azureFile(at: Path, source: Source<"azureFile">): Issues {
  yield* sources.plainSources.azureFile(at, source);
  if (source.secretNamespace === "") yield at.child("secretNamespace").required();
}

function* local(at: Path, { path }: Source<"local">): Issues {
  yield* required(at.child("path"), path, noBacksteps);
}

const mountOptions = "volume.beta.kubernetes.io/mount-options";
const mountable: readonly string[] = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
];

function* volumeRules({ spec: given, metadata: { name, annotations } }: PersistentVolume): Issues {
  yield* capacity(spec.child("capacity"), given.capacity);
  const policies = ["Delete", "Recycle", "Retain"];
  yield* optionalOneOf(spec.child("persistentVolumeReclaimPolicy"), given.persistentVolumeReclaimPolicy, policies);
  if (given.nodeAffinity !== undefined) {
    const here = spec.child("nodeAffinity", "required");
    yield* required(here, given.nodeAffinity.required, nodeSelector, "must specify required node constraints");
  }
  yield* anyVolumeRules(spec, given, name);
  const first = sourceNames.find(({ field }) => (given as Readonly<Record<string, unknown>>)[field] !== undefined);
  if (first?.field === "local" && given.nodeAffinity === undefined) {
    yield spec.child("nodeAffinity").required("Local volume requires node affinity");
  }
  if (given.storageClassName) yield* dns1123Subdomain(spec.child("storageClassName"), given.storageClassName);
  yield* optionalOneOf(spec.child("volumeMode"), given.volumeMode, volumeModes);
  const takesOptions = mountable.some((kind) => (given as Readonly<Record<string, unknown>>)[kind] !== undefined);
  if (!takesOptions && annotations?.[mountOptions] !== undefined) {
    const here = fieldPath("metadata", "annotations", mountOptions);
    yield here.forbidden("may not specify mount options for this volume type");
  }
}

/** Rules for an inline volume, which has no object: CSI only, and none of a claim's fields. */
export function* inlineVolume(at: Path, given: PersistentVolumeSpec): Issues {
  const unwanted = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const;
  for (const field of unwanted.filter((one) => !isEmpty(given[one]))) {
    yield at.child(field).forbidden("may not be specified in the context of inline volumes");
  }
  if (given.csi === undefined) yield at.child("csi").required("has to be specified in the context of inline volumes");
  if (given.persistentVolumeReclaimPolicy && given.persistentVolumeReclaimPolicy !== "Retain") {
    const why = "may only be Retain in the context of inline volumes";
    yield at.child("persistentVolumeReclaimPolicy").forbidden(why);
  }
  if (given.volumeMode !== undefined && given.volumeMode !== "Filesystem") {
    const why = "may not specify volumeMode other than Filesystem in the context of inline volumes";
    yield at.child("volumeMode").forbidden(why);
  }
  yield* anyVolumeRules(at, given, "");
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (typeof value === "object" && value !== null && JSON.stringify(value) === "{}");

function* anyVolumeRules(at: Path, given: PersistentVolumeSpec, name: string): Issues {
  const modes = given.accessModes ?? [];
  if (modes.length === 0) yield at.child("accessModes").required();
  yield* accessModes(at.child("accessModes"), modes);
  yield* sources.oneSource(at, given, sourceNames);
  yield* sourceDetails(at, given, name);
  yield* attributesClass(at.child("volumeAttributesClassName"), given, at);
}

function* capacity(at: Path, given: Readonly<Record<string, string>> | undefined): Issues {
  const amounts = Object.entries(given ?? {});
  if (amounts.length === 0) yield at.required();
  if (given?.["storage"] === undefined || amounts.length > 1) {
    yield at.notSupported(given === undefined ? null : shownLabels(given), ["storage"]);
  }
  for (const [name, amount] of amounts) {
    yield* basicAmount(at.key(name), amount);
    if (parseQuantity(amount).sign <= 0) yield at.key(name).invalid(amount, "must be greater than zero");
  }
}

function* sourceDetails(at: Path, given: PersistentVolumeSpec, name: string): Issues {
  const { iscsi, hostPath } = given;
  if (iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal}`.length > 64) {
    yield at.child("iscsi", "targetportal").invalid(iscsi.targetPortal, sources.iscsiNamesTooLong);
  }
  const atRoot = hostPath !== undefined && /^\/+(?:\.\/*)*$/.test(hostPath.path);
  if (atRoot && given.persistentVolumeReclaimPolicy === "Recycle") {
    const here = at.child("persistentVolumeReclaimPolicy");
    yield here.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  }
}

function* attributesClass(
  at: Path,
  { volumeAttributesClassName: name, csi }: PersistentVolumeSpec,
  volume: Path,
): Issues {
  if (name === undefined) return;
  yield* required(at, name, dns1123Subdomain, "an empty string is disallowed");
  if (csi === undefined) yield volume.child("csi").required("has to be specified when using volumeAttributesClassName");
}

function* volumeChanges(now: PersistentVolumeSpec, old: PersistentVolumeSpec): Issues {
  const sourceOf = (volume: PersistentVolumeSpec): object => {
    const given = volume as Readonly<Record<string, unknown>>;
    const csi = old.csi?.controllerExpandSecretRef === undefined && volume.csi !== undefined;
    const found = sourceNames.map(({ field }) => [field, given[field]]).filter(([, value]) => value !== undefined);
    const own = Object.fromEntries(found) as PersistentVolumeSpec;
    return csi ? changed(own, "csi", (one) => having(one, "controllerExpandSecretRef", undefined)) : own;
  };
  if (!semanticEqual(sourceOf(now), sourceOf(old))) {
    const paths = changedPaths(sourceOf(old), sourceOf(now)).join("\n");
    const why = `spec.persistentvolumesource is immutable after creation\n${paths}`;
    yield fieldPath("spec", "persistentvolumesource").forbidden(why);
  }
  yield* immutable(fieldPath("volumeMode"), now.volumeMode, old.volumeMode);
  yield* affinityChange(now.nodeAffinity, old.nodeAffinity);
  if (old.volumeAttributesClassName !== undefined && now.volumeAttributesClassName === undefined) {
    yield spec.child("volumeAttributesClassName").forbidden("update from non-nil value to nil is forbidden");
  }
}

/** Labels that have a stable name now. */
const stableLabels: Readonly<Record<string, string>> = lookup({
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
});

/** Once it is set, the affinity may only go over to the stable names of labels. */
function* affinityChange(now: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity | undefined): Issues {
  if (old === undefined) return;
  const terms = old.required?.nodeSelectorTerms?.map((term, index) => {
    const next = now?.required?.nodeSelectorTerms?.[index]?.matchExpressions;
    return changed(term, "matchExpressions", (all) =>
      all.map((one, i) =>
        next?.[i]?.key === stableLabels[one.key] ? { ...one, key: next?.[i]?.key ?? one.key } : one,
      ),
    );
  });
  const renamed = terms === undefined ? old : { ...old, required: { ...old.required, nodeSelectorTerms: terms } };
  if (now !== undefined && semanticEqual(now, renamed)) return;
  const { required } = now ?? {};
  const shown = required && { NodeSelectorTerms: shownTerms(required.nodeSelectorTerms) };
  const why = "field is immutable, except for updating from beta label to GA";
  yield fieldPath("nodeAffinity").invalid(now && { Required: shown ?? null }, why);
}

function volumeDefaults(volume: PersistentVolume): PersistentVolume {
  const phased = changed(volume, "status", (status) => filled(status, { phase: "Pending" }));
  return changed(phased, "spec", (given) => {
    const result = filled(given, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    return volumeSourceDefaults(result);
  });
}

export function volumeSourceDefaults(given: PersistentVolumeSpec): PersistentVolumeSpec {
  return sources.filledSource(changed(given, "capacity", roundedAmounts));
}

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  group: "",
  kind: "PersistentVolume",
  deleteReturnsObject: true,
  setDefaults: volumeDefaults,
  prepareForCreate: (volume, { now }) => ({
    ...volume,
    status: { phase: "Pending", lastPhaseTransitionTime: formatTime(now) },
  }),
  validateCreate: volumeRules,
  validateUpdate: (volume, old) => inTurn(volumeRules(volume), volumeChanges(volume.spec, old.spec)),
  status: {
    prepareForUpdate(volume, old, { now }) {
      const [after, before] = [volume.status ?? {}, old.status ?? {}];
      const { lastPhaseTransitionTime: time } = after;
      const moved = after.phase !== before.phase;
      const known = time !== undefined && !(moved && time === before.lastPhaseTransitionTime);
      if (known) return volume;
      const when = moved ? formatTime(now) : before.lastPhaseTransitionTime;
      return { ...volume, status: having(after, "lastPhaseTransitionTime", when) };
    },
  },
};
