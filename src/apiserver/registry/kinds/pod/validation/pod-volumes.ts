/** Rules for the volumes of a pod or pod template. */
import { type FieldError, isDns1123Subdomain, parseQuantity, type Volume } from "../../../../../api/index.js";
import { dns1123Label, type Issues, oneOf, type Path, required, requiredFields } from "../../rules/issues.js";
import { claimSpec, templateMetadata } from "../../volumes/claim-spec.js";
import { configMapVolume, downwardVolume, projectedVolume, secretVolume } from "./projected.js";
import * as sources from "../../volumes/sources.js";
import type { SourceRule } from "../../volumes/sources.js";

export interface VolumeContext {
  /** The pod's name, if there is one: the claims of ephemeral volumes are named after it. */
  readonly podName?: string;
  readonly isPod: boolean;
}

/** A volume in its pod. */
interface Subject {
  readonly volume: Volume;
  readonly context: VolumeContext;
}

type Rule = (at: Path, source: never, subject: Subject) => Issues;

const rule = (field: string, validate: Rule, path = field, forbiddenAs = field): SourceRule => ({
  field,
  forbiddenAs,
  validate: (at, source, subject) => validate(at.child(path), source, subject),
});

/** In the order in which upstream checks them; some have another name in errors than in the object. */
const sourceRules: readonly SourceRule[] = [
  rule("emptyDir", emptyDir),
  rule("hostPath", sources.hostPath),
  rule("gitRepo", sources.gitRepo),
  rule("gcePersistentDisk", (at, one) => sources.diskWithPartition(at, "pdName", one), "persistentDisk"),
  rule("awsElasticBlockStore", (at, one) => sources.diskWithPartition(at, "volumeID", one)),
  rule("secret", secretVolume),
  rule("nfs", sources.nfs),
  rule("iscsi", (at, one) => sources.iscsi(at, one, false)),
  rule("glusterfs", sources.plainSources.glusterfs),
  rule("flocker", sources.flocker),
  rule("persistentVolumeClaim", (at, one: { claimName?: string }) => requiredFields(at, one, "claimName")),
  rule("rbd", sources.plainSources.rbd),
  rule("cinder", (at, one) => sources.cinder(at, one, false)),
  rule("cephfs", sources.plainSources.cephfs, "cephfs", "cephFS"),
  rule("quobyte", sources.quobyte),
  rule("downwardAPI", downwardVolume, "downwardAPI", "downwarAPI"),
  rule("fc", sources.fc),
  rule("flexVolume", sources.flexVolume),
  rule("configMap", configMapVolume),
  rule("azureFile", sources.plainSources.azureFile),
  rule("vsphereVolume", sources.plainSources.vsphereVolume),
  rule("photonPersistentDisk", sources.plainSources.photonPersistentDisk),
  rule("portworxVolume", sources.plainSources.portworxVolume),
  rule("azureDisk", sources.azureDisk),
  rule("storageos", (at, one) => sources.storageOs(at, one, false)),
  rule("projected", projectedVolume),
  rule("scaleIO", sources.plainSources.scaleIO),
  rule("csi", sources.csi),
  { field: "ephemeral", validate: ephemeral },
  rule("image", image),
];

function* emptyDir(at: Path, { sizeLimit }: NonNullable<Volume["emptyDir"]>): Issues {
  if (sizeLimit !== undefined && parseQuantity(sizeLimit).sign < 0) {
    yield at.child("sizeLimit").forbidden("SizeLimit field must be a valid resource quantity");
  }
}

function* image(at: Path, { reference = "", pullPolicy }: NonNullable<Volume["image"]>, { context }: Subject): Issues {
  if (context.isPod && reference === "") yield at.child("reference").required();
  yield* oneOf(at.child("pullPolicy"), pullPolicy, ["Always", "IfNotPresent", "Never"]);
}

function* ephemeral(
  at: Path,
  { volumeClaimTemplate }: NonNullable<Volume["ephemeral"]>,
  { volume, context }: Subject,
): Issues {
  const here = at.child("ephemeral", "volumeClaimTemplate");
  if (volumeClaimTemplate === undefined) yield here.required();
  else {
    yield* templateMetadata(here.child("metadata"), volumeClaimTemplate.metadata);
    yield* claimSpec(here.child("spec"), volumeClaimTemplate.spec);
  }
  if (!context.podName || !volume.name) return;
  const claim = `${context.podName}-${volume.name}`;
  for (const complaint of isDns1123Subdomain(claim)) {
    yield at.child("name").invalid(volume.name, `PVC name "${claim}": ${complaint}`);
  }
}

/** `valid` collects the volumes without errors: only these can be mounted. */
export function* podVolumes(
  at: Path,
  volumes: readonly Volume[],
  options: { readonly context: VolumeContext; readonly valid: Map<string, Volume> },
): Issues {
  const { context, valid } = options;
  const created = new Set(
    context.podName
      ? volumes.filter((one) => one.ephemeral !== undefined).map((one) => `${context.podName}-${one.name}`)
      : [],
  );
  for (const [here, volume] of at.items(volumes)) {
    const errors = [...volumeErrors(here, volume, context, valid)];
    if (errors.length === 0) valid.set(volume.name, volume);
    else yield* errors;
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const why = "must not reference a PVC that gets created for an ephemeral volume";
      yield here.child("persistentVolumeClaim", "claimName").invalid(claim, why);
    }
  }
}

function* volumeErrors(
  at: Path,
  volume: Volume,
  context: VolumeContext,
  seen: ReadonlyMap<string, Volume>,
): Iterable<FieldError> {
  const { name, iscsi } = volume;
  yield* sources.oneSource(at, volume, sourceRules, { volume, context });
  if (iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal ?? ""}`.length > 64) {
    yield at.child("name").invalid(name, sources.iscsiNamesTooLong);
  }
  yield* required(at.child("name"), name, dns1123Label);
  if (seen.has(name)) yield at.child("name").duplicate(name);
}
