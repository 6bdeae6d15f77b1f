/** The strategy of persistent volume claims. */
import {
  changedPaths,
  fieldPath,
  parseQuantity,
  type PersistentVolumeClaim as AnyPersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  semanticEqual,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { claimSpec, claimSpecDefaults } from "./claim-spec.js";
import { changed, filled, having, roundedAmounts } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { immutable, inTurn, type Issues, type Path, qualifiedName } from "../rules/issues.js";
import { basicAmount, isNativeResource } from "../rules/resources.js";

type PersistentVolumeClaim = WithSpec<AnyPersistentVolumeClaim>;

const spec = fieldPath("spec");

/** The feature gate of sources in other namespaces is off: such a source is dropped, unless it is stored already. */
function withoutForeignSource(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  return claim.spec.dataSourceRef?.namespace
    ? { ...claim, spec: having(claim.spec, "dataSourceRef", undefined) }
    : claim;
}

/** dataSource and dataSourceRef are filled in from each other, where dataSource can express it. */
function withSources(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { dataSource, dataSourceRef } = claim.spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    return { ...claim, spec: { ...claim.spec, dataSourceRef: dataSource } };
  }
  if (dataSourceRef === undefined || dataSource !== undefined || dataSourceRef.namespace) return claim;
  return { ...claim, spec: { ...claim.spec, dataSource: dataSourceRef } };
}

/** A dataSource alone is ignored, unless it names a claim or a snapshot. */
function withoutOddSource(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { dataSource, dataSourceRef } = claim.spec;
  if (dataSource === undefined || dataSourceRef !== undefined) return claim;
  const { kind } = dataSource;
  // typed form writes an absent group as null
  const apiGroup = dataSource.apiGroup ?? "";
  const known =
    (kind === "PersistentVolumeClaim" && apiGroup === "") ||
    (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io");
  return known ? claim : { ...claim, spec: having(claim.spec, "dataSource", undefined) };
}

const hasSource = ({ spec: { dataSource, dataSourceRef } }: PersistentVolumeClaim): boolean =>
  dataSource !== undefined || dataSourceRef !== undefined;

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

function* claimChanges(now: PersistentVolumeClaim, old: PersistentVolumeClaim): Issues {
  const annotated = old.metadata.annotations?.[classAnnotation];
  const nowAnnotated = now.metadata.annotations?.[classAnnotation];
  if ((annotated ?? "") !== (nowAnnotated ?? "")) {
    yield fieldPath("metadata", "annotations", classAnnotation).invalid(nowAnnotated ?? "", "field is immutable");
  }
  const bound = now.status?.phase === "Bound";
  const rest = withOldMutable(now.spec, old.spec, { bound, annotated });
  const before = old.spec.volumeName ? old.spec : having(old.spec, "volumeName", now.spec.volumeName);
  const same = semanticEqual(rest, before) && (rest.selector === undefined) === (before.selector === undefined);
  if (!same) {
    const why =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    yield spec.forbidden(`${why}\n${changedPaths(before, rest).join("\n")}`);
  }
  const size = (claim: PersistentVolumeClaim): ReturnType<typeof parseQuantity> =>
    parseQuantity(claim.spec.resources?.requests?.["storage"] ?? "0");
  const stored = parseQuantity(old.status?.capacity?.["storage"] ?? "0");
  if (size(now).compare(size(old)) < 0 && size(now).compare(stored) <= 0) {
    const here = spec.child("resources", "requests", "storage");
    yield here.forbidden("field can not be less than status.capacity");
  }
  yield* immutable(fieldPath("volumeMode"), now.spec.volumeMode, old.spec.volumeMode);
  if (old.status?.currentVolumeAttributesClassName !== undefined && !now.spec.volumeAttributesClassName) {
    const to = now.spec.volumeAttributesClassName === undefined ? "nil" : "empty string";
    const why = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
    yield spec.child("volumeAttributesClassName").forbidden(why);
  }
}

interface Mutability {
  readonly bound: boolean;
  readonly annotated: string | undefined;
}

function withOldMutable(
  now: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec,
  { bound, annotated }: Mutability,
): PersistentVolumeClaimSpec {
  let rest = now;
  const fits = annotated === undefined || now.storageClassName === annotated;
  if (old.storageClassName === undefined && now.storageClassName !== undefined && fits) {
    rest = having(rest, "storageClassName", undefined);
  }
  if (!bound) return rest;
  rest = having(rest, "volumeAttributesClassName", old.volumeAttributesClassName);
  const storage = old.resources?.requests?.["storage"];
  return changed(rest, "resources", (resources) =>
    changed(resources, "requests", (requests) => (storage === undefined ? requests : { ...requests, storage })),
  );
}

type ClaimStatus = NonNullable<AnyPersistentVolumeClaim["status"]>;

const statusDefaults = (given: ClaimStatus): ClaimStatus =>
  changed(
    changed(filled(given, { phase: "Pending" }), "capacity", roundedAmounts),
    "allocatedResources",
    roundedAmounts,
  );

const resizeStates: readonly string[] = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

function* statusRules(given: ClaimStatus): Issues {
  const status = fieldPath("status");
  for (const [name, amount] of Object.entries(given.capacity ?? {})) {
    yield* basicAmount(status.child("capacity").key(name), amount);
  }
  const states = status.child("allocatedResourceStatuses");
  for (const [name, state] of Object.entries(given.allocatedResourceStatuses ?? {})) {
    yield* growing(states, name);
    if (!resizeStates.includes(state)) yield states.notSupported(name, resizeStates);
  }
  const amounts = status.child("allocatedResources");
  for (const [name, amount] of Object.entries(given.allocatedResources ?? {})) {
    const wrong = [...growing(amounts, name)];
    yield* wrong;
    if (wrong.length === 0) yield* basicAmount(amounts.key(name), amount);
  }
}

/** Rules for the name of a claim's resource that may grow: `storage`, or a name in a domain other than Kubernetes' own. */
function* growing(at: Path, name: string): Issues {
  const wrong = [...qualifiedName(at, name)];
  yield* wrong;
  if (wrong.length === 0 && isNativeResource(name) && name !== "storage") yield at.notSupported(name, ["storage"]);
}

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  group: "",
  kind: "PersistentVolumeClaim",
  deleteReturnsObject: true,
  setDefaults: (claim) => changed(changed(claim, "spec", claimSpecDefaults), "status", statusDefaults),
  prepareForCreate: (claim) =>
    withSources(withoutOddSource(withoutForeignSource({ ...claim, status: { phase: "Pending" } }))),
  prepareForUpdate(claim, old) {
    const own = old.spec.dataSourceRef?.namespace ? claim : withoutForeignSource(claim);
    return withSources(hasSource(old) ? own : withoutOddSource(own));
  },
  validateCreate: ({ spec: given }) => claimSpec(spec, given),
  validateUpdate: (claim, old) => inTurn(claimSpec(spec, claim.spec), claimChanges(claim, withSources(old))),
  status: {
    validateUpdate: ({ status }) => statusRules(status ?? {}),
  },
};
