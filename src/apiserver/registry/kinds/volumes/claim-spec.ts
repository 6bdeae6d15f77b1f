/** Rules for the spec of a claim: in claims, in templates of stateful sets, and in ephemeral volumes of pods. */
import {
  deepEqual,
  parseQuantity,
  type ObjectMeta,
  type PersistentVolumeClaimSpec,
  type TypedObjectReference,
} from "../../../../api/index.js";
import {
  annotationMap,
  dns1123Label,
  dns1123Subdomain,
  type Issues,
  labelMap,
  labelSelector,
  optionalOneOf,
  type Path,
  requiredFields,
} from "../rules/issues.js";
import { changed, filled, roundedRequirements } from "../rules/fill.js";
import { resourceAmount } from "../rules/resources.js";

const accessModeNames: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes: readonly string[] = ["Block", "Filesystem"];

export function* accessModes(at: Path, modes: readonly string[]): Issues {
  for (const mode of modes) yield* optionalOneOf(at, mode, accessModeNames);
  const others = modes.filter((mode) => mode !== "ReadWriteOncePod" && accessModeNames.includes(mode));
  if (modes.includes("ReadWriteOncePod") && others.length > 0) {
    yield at.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

export function claimSpecDefaults(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  return changed(filled(spec, { volumeMode: "Filesystem" }), "resources", roundedRequirements);
}

export function* claimSpec(at: Path, spec: PersistentVolumeClaimSpec): Issues {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) yield at.child("accessModes").required("at least 1 access mode is required");
  yield* labelSelector(at.child("selector"), spec.selector);
  yield* accessModes(at.child("accessModes"), modes);
  yield* storageRequest(at.child("resources").key("storage"), spec.resources?.requests?.["storage"]);
  if (spec.storageClassName) yield* dns1123Subdomain(at.child("storageClassName"), spec.storageClassName);
  yield* optionalOneOf(at.child("volumeMode"), spec.volumeMode, volumeModes);
  yield* dataSources(at, spec);
  if (spec.volumeAttributesClassName) {
    yield* dns1123Subdomain(at.child("volumeAttributesClassName"), spec.volumeAttributesClassName);
  }
}

function* storageRequest(at: Path, storage: string | undefined): Issues {
  if (storage === undefined) yield at.required();
  else if (parseQuantity(storage).sign <= 0) yield at.invalid(storage, "must be greater than zero");
  else yield* resourceAmount(at, "storage", storage);
}

function* dataSources(at: Path, { dataSource, dataSourceRef }: PersistentVolumeClaimSpec): Issues {
  if (dataSource !== undefined) yield* reference(at.child("dataSource"), dataSource);
  if (dataSourceRef !== undefined) {
    const here = at.child("dataSourceRef");
    yield* reference(here, dataSourceRef);
    const { namespace = "" } = dataSourceRef;
    if (namespace !== "") yield* dns1123Label(here.child("namespace"), namespace);
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  if (dataSourceRef.namespace) yield at.invalid({}, "may not be specified when dataSourceRef.namespace is specified");
  else if (!deepEqual(dataSource, dataSourceRef)) yield at.invalid({}, "must match dataSourceRef");
}

function* reference(at: Path, { name = "", kind = "", apiGroup = "" }: Partial<TypedObjectReference>): Issues {
  yield* requiredFields(at, { name, kind }, "name", "kind");
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    yield at.invalid(kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup !== "") yield* dns1123Subdomain(at.child("apiGroup"), apiGroup);
}

/** The metadata of a template may have labels and annotations only. */
export function* templateMetadata(at: Path, metadata: Partial<ObjectMeta> | undefined): Issues {
  yield* annotationMap(at.child("annotations"), metadata?.annotations);
  yield* labelMap(at.child("labels"), metadata?.labels);
  for (const [field, value] of Object.entries(metadata ?? {})) {
    if (field === "annotations" || field === "labels" || value === undefined || value === null) continue;
    // upstream's spelling
    yield at.child(field === "uid" ? "uID" : field).forbidden("cannot be set");
  }
}
