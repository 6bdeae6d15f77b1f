/**
 * Strategies of storage classes, volume attributes classes, CSI drivers, CSI nodes, storage capacities and volume
 * attachments.
 */
import {
  byteLength,
  type CSIDriver as AnyCSIDriver,
  type CSINode as AnyCSINode,
  type CSINodeDriver,
  type CSIStorageCapacity,
  deepEqual,
  fieldPath,
  semanticEqual,
  type StorageClass,
  type TopologySelectorTerm,
  type VolumeAttachment as AnyVolumeAttachment,
  type VolumeAttributesClass,
  type VolumeError,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, filled, having, nullIfEmpty } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Subdomain,
  immutable,
  inTurn,
  type Issues,
  labelSelector,
  nonNegative,
  optionalOneOf,
  type Path,
  qualifiedName,
  required,
  shownSelector,
} from "../rules/issues.js";
import { nonNegativeQuantity } from "../rules/resources.js";
import { inlineVolume, volumeSourceDefaults } from "../volumes/persistent.js";
import { csiDriverName } from "../volumes/sources.js";
import { byEntryName, repeats } from "../../../../base/members.js";

type CSIDriver = WithSpec<AnyCSIDriver>;
type CSINode = WithSpec<AnyCSINode>;
type VolumeAttachment = WithSpec<AnyVolumeAttachment>;

const group = "storage.k8s.io";

function* provisioner(at: Path, name: string | undefined): Issues {
  yield* required(at, name?.toLowerCase(), qualifiedName);
}

function* parameters(at: Path, given: Readonly<Record<string, string>> | undefined): Issues {
  const entries = Object.entries(given ?? {});
  if (entries.length > 512) {
    yield at.tooLong(512);
    return;
  }
  for (const [key] of entries) if (key === "") yield at.invalid(key, "field can not be empty.");
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (size > 256 * 1024) yield at.tooLong(256 * 1024);
}

function* topologies(at: Path, terms: readonly TopologySelectorTerm[]): Issues {
  /** The number of terms so far, by their content. */
  const seen = new Map<string, number>();
  for (const [place, { matchLabelExpressions = [] }] of at.items(terms)) {
    const here = place.child("matchLabelExpressions");
    const term = new Map<string, readonly string[]>();
    for (const [expression, { key, values }] of here.items(matchLabelExpressions)) {
      const given = values ?? [];
      if (given.length === 0) yield expression.child("values").required();
      const isRepeat = repeats();
      for (const [at, value] of expression.child("values").items(given)) if (isRepeat(value)) yield at.duplicate(value);
      yield* qualifiedName(expression.child("key"), key);
      if (term.has(key)) yield expression.child("key").duplicate(key);
      term.set(key, [...new Set(given)].sort());
    }
    const content = JSON.stringify([...term].toSorted(byEntryName));
    const before = seen.get(content) ?? 0;
    // upstream's comparison includes one empty term too many for each term, by mistake
    const mistaken = term.size === 0 ? terms.length : 0;
    for (let time = 0; time < before + mistaken; time++) yield here.duplicate("");
    seen.set(content, before + 1);
  }
}

function* classRules(storage: StorageClass): Issues {
  yield* provisioner(fieldPath("provisioner"), storage.provisioner);
  yield* parameters(fieldPath("parameters"), storage.parameters);
  const policies = ["Delete", "Retain"];
  yield* optionalOneOf(fieldPath("reclaimPolicy"), storage.reclaimPolicy || undefined, policies);
  const modes = ["Immediate", "WaitForFirstConsumer"];
  yield* optionalOneOf(fieldPath("volumeBindingMode"), storage.volumeBindingMode, modes);
  yield* topologies(fieldPath("allowedTopologies"), storage.allowedTopologies ?? []);
}

function* classChanges(now: StorageClass, old: StorageClass): Issues {
  for (const field of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
    yield* immutable(fieldPath(field), now[field], old[field]);
  }
}

export const storageClassStrategy: Strategy<StorageClass> = {
  group,
  kind: "StorageClass",
  deleteReturnsObject: true,
  setDefaults: (storage) => filled(storage, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  validateCreate: classRules,
  validateUpdate: (storage, old) => inTurn(classRules(storage), classChanges(storage, old)),
};

function* attributesRules(given: VolumeAttributesClass): Issues {
  yield* provisioner(fieldPath("driverName"), given.driverName);
  yield* parameters(fieldPath("parameters"), given.parameters);
  if (Object.keys(given.parameters ?? {}).length === 0) {
    yield fieldPath("parameters").required("must contain at least one key/value pair");
  }
}

function* attributesChanges(now: VolumeAttributesClass, old: VolumeAttributesClass): Issues {
  for (const field of ["driverName", "parameters"] as const) {
    if (!deepEqual(now[field], old[field])) yield fieldPath(field).forbidden(`updates to ${field} are forbidden.`);
  }
}

export const volumeAttributesClassStrategy: Strategy<VolumeAttributesClass> = {
  group,
  kind: "VolumeAttributesClass",
  deleteReturnsObject: true,
  validateCreate: attributesRules,
  validateUpdate: (given, old) => inTurn(attributesChanges(given, old), attributesRules(given)),
};

const spec = fieldPath("spec");

function* driverRules({ spec: given }: CSIDriver): Issues {
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  yield* optionalOneOf(spec.child("fsGroupPolicy"), given.fsGroupPolicy, policies);
  const isRepeat = repeats();
  for (const [at, { audience, expirationSeconds: seconds }] of spec.child("tokenRequests").items(given.tokenRequests)) {
    if (isRepeat(audience)) {
      yield at.child("audience").duplicate(audience);
      continue;
    }
    if (seconds !== undefined && seconds < 600) {
      yield at.child("expirationSeconds").invalid(seconds, "may not specify a duration less than 10 minutes");
    }
    if (seconds !== undefined && seconds > 2 ** 32) {
      yield at.child("expirationSeconds").invalid(seconds, "may not specify a duration larger than 2^32 seconds");
    }
  }
  for (const mode of given.volumeLifecycleModes ?? []) {
    yield* optionalOneOf(spec.child("volumeLifecycleModes"), mode, ["Persistent", "Ephemeral"]);
  }
  const period = given.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < 10) {
    const here = spec.child("nodeAllocatableUpdatePeriodSeconds");
    yield here.invalid(period, "must be greater than or equal to 10 seconds");
  }
  if (given.serviceAccountTokenInSecrets !== undefined && (given.tokenRequests ?? []).length === 0) {
    const why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    yield spec.child("serviceAccountTokenInSecrets").invalid(given.serviceAccountTokenInSecrets, why);
  }
}

/** The feature gate of this field is off. */
const withoutGated = (driver: CSIDriver): CSIDriver =>
  changed(driver, "spec", (given) => having(given, "preventPodSchedulingIfMissing", undefined));

export const csiDriverStrategy: Strategy<CSIDriver> = {
  group,
  kind: "CSIDriver",
  lenient: { prefixOnUpdate: true },
  generation: (driver, old) => !semanticEqual(driver.spec, old.spec),
  firstGeneration: 0,
  deleteReturnsObject: true,
  allowUnconditionalUpdate: false,
  setDefaults: (driver) =>
    changed(driver, "spec", (given) => {
      const filledIn = filled(given, {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        requiresRepublish: false,
        seLinuxMount: false,
      });
      const modes = (filledIn.volumeLifecycleModes ?? []).length > 0;
      return modes ? filledIn : { ...filledIn, volumeLifecycleModes: ["Persistent"] };
    }),
  prepareForCreate: withoutGated,
  prepareForUpdate: (driver, old) =>
    old.spec.preventPodSchedulingIfMissing === undefined ? withoutGated(driver) : driver,
  validateCreate: driverRules,
  validateUpdate: (driver, old) =>
    inTurn(
      driverRules(driver),
      immutable(spec.child("attachedRequired"), driver.spec.attachRequired, old.spec.attachRequired),
      immutable(spec.child("volumeLifecycleModes"), driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes),
    ),
};

function* nodeRules({ spec: given }: CSINode): Issues {
  const isRepeatedDriver = repeats();
  for (const [at, driver] of spec.child("drivers").items(given.drivers)) {
    yield* csiDriverName(at.child("name"), driver.name);
    if (!driver.nodeID) yield at.child("nodeID").required();
    else if (driver.nodeID.length > 256) {
      yield at.child("nodeID").invalid(driver.nodeID, "must be 256 characters or less");
    }
    yield* nonNegative(at.child("allocatable", "count"), driver.allocatable?.count);
    if (isRepeatedDriver(driver.name)) yield at.child("name").duplicate(driver.name);
    const isRepeat = repeats();
    for (const key of driver.topologyKeys ?? []) {
      if (key === "") yield at.required();
      if (isRepeat(key)) yield at.duplicate(key);
      yield* qualifiedName(at, key);
    }
  }
}

function* nodeChanges(now: CSINode, old: CSINode): Issues {
  const rest = (driver: CSINodeDriver): CSINodeDriver => having(driver, "allocatable", undefined);
  const drivers = new Map((now.spec.drivers ?? []).map((driver) => [driver.name, driver]));
  for (const before of old.spec.drivers ?? []) {
    const after = drivers.get(before.name);
    if (after !== undefined) yield* immutable(spec.child("drivers"), rest(after), rest(before));
  }
}

const withNullLists = (node: CSINode): CSINode =>
  changed(node, "spec", (given) =>
    nullIfEmpty(
      changed(given, "drivers", (drivers) => each(drivers, (driver) => nullIfEmpty(driver, "topologyKeys"))),
      "drivers",
    ),
  );

export const csiNodeStrategy: Strategy<CSINode> = {
  group,
  kind: "CSINode",
  deleteReturnsObject: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: withNullLists,
  prepareForUpdate: withNullLists,
  validateCreate: nodeRules,
  validateUpdate: (node, old) => inTurn(nodeRules(node), nodeChanges(node, old)),
};

function* capacityRules({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): Issues {
  yield* labelSelector(fieldPath("nodeTopology"), nodeTopology);
  yield* dns1123Subdomain(fieldPath("storageClassName"), storageClassName);
  if (capacity !== undefined) yield* nonNegativeQuantity(fieldPath("capacity"), capacity);
}

function* capacityChanges(now: CSIStorageCapacity, old: CSIStorageCapacity): Issues {
  if (!semanticEqual(now.nodeTopology, old.nodeTopology)) {
    yield fieldPath("nodeTopology").invalid(shownSelector(now.nodeTopology), "field is immutable");
  }
  if (now.storageClassName !== old.storageClassName) {
    yield fieldPath("storageClassName").invalid(now.storageClassName, "field is immutable");
  }
}

export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  group,
  kind: "CSIStorageCapacity",
  allowUnconditionalUpdate: false,
  validateCreate: capacityRules,
  validateUpdate: (capacity, old) => inTurn(capacityRules(capacity), capacityChanges(capacity, old)),
};

function* attachmentRules({ spec: given }: VolumeAttachment): Issues {
  yield* csiDriverName(spec.child("attacher"), given.attacher);
  const { inlineVolumeSpec, persistentVolumeName: name } = given.source ?? {};
  const at = spec.child("source");
  const why = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec === undefined && name === undefined) yield at.required(why);
  else if (inlineVolumeSpec !== undefined && name !== undefined) yield at.forbidden(why);
  else if (name === "") yield at.child("persistentVolumeName").required("must specify non empty persistentVolumeName");
  else if (inlineVolumeSpec !== undefined) yield* inlineVolume(at.child("inlineVolumeSpec"), inlineVolumeSpec);
  yield* dns1123Subdomain(spec.child("nodeName"), given.nodeName);
  if (name !== undefined) yield* dns1123Subdomain(fieldPath("spec.source.persistentVolumeName"), name);
}

function* errorRules(at: Path, { message = "", errorCode = 0 }: Partial<VolumeError> = {}): Issues {
  if (byteLength(message) > 1024) yield at.child("message").tooLong(256 * 1024);
  if (errorCode < 0) yield at.child("errorCode").invalid(errorCode, "must be between 0 and 2147483647, inclusive");
}

export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  group,
  kind: "VolumeAttachment",
  deleteReturnsObject: true,
  allowUnconditionalUpdate: false,
  setDefaults: (attachment) =>
    changed(attachment, "spec", (given) =>
      changed(given, "source", (source) => changed(source, "inlineVolumeSpec", volumeSourceDefaults)),
    ),
  status: {
    validateUpdate: ({ status }) =>
      (["attachError", "detachError"] as const).flatMap((field) => [
        ...errorRules(fieldPath("status", field), status?.[field]),
      ]),
  },
  validateCreate: attachmentRules,
  validateUpdate: (attachment, old) => inTurn(attachmentRules(attachment), immutable(spec, attachment.spec, old.spec)),
};
