/** The strategy of resource slices, in which a driver describes the devices of a pool. */
import {
  type Device,
  fieldPath,
  formatTime,
  type NodeSelectorTerm,
  type ResourceSlice as AnySlice,
  type ResourceSliceSpec,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, filled, having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { dns1123Subdomain, immutable, immutableFields, type Issues, type Path } from "../rules/issues.js";
import { nodeSelector as nodeSelectorRules, shownTerms } from "../rules/node-selector.js";
import { counterSetRules, deviceRules } from "./devices.js";
import { distinct, driverName, poolName } from "./names.js";

type Slice = WithSpec<AnySlice>;

const at = fieldPath("spec");
const maxDevices = 128;
/** Of devices with taints or counters, which cost more to look at. */
const maxAdvancedDevices = 64;
const maxCounterSets = 8;

function* sliceRules({ spec }: Slice, old: Slice | undefined): Issues {
  yield* driverName(at.child("driver"), spec.driver);
  yield* poolRules(at.child("pool"), spec.pool ?? {});
  if (old !== undefined) {
    yield* immutable(at.child("pool", "name"), spec.pool?.name, old.spec.pool?.name);
    yield* immutableFields(at, spec, old.spec, "driver", "nodeName");
  }
  yield* placeRules(spec);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined) {
    yield at.invalid("", "only one of `sharedCounters` or `devices` is allowed");
  }
  const before = new Map((old?.spec.devices ?? []).map((device) => [device.name, device]));
  yield* distinct(at.child("devices"), spec.devices, {
    limit: spec.devices?.some(isAdvanced) ? maxAdvancedDevices : maxDevices,
    key: ({ name }) => name,
    rule: (here, device) =>
      deviceRules(here, device, { old: before.get(device.name), placed: spec.perDeviceNodeSelection === true }),
  });
  yield* distinct(at.child("sharedCounters"), spec.sharedCounters, {
    limit: maxCounterSets,
    key: ({ name }) => name,
    rule: counterSetRules,
  });
}

const isAdvanced = ({ taints = [], consumesCounters = [] }: Device): boolean =>
  taints.length > 0 || consumesCounters.length > 0;

function* poolRules(
  here: Path,
  { name, resourceSliceCount = 0, generation = 0 }: Partial<ResourceSliceSpec["pool"]>,
): Issues {
  yield* poolName(here.child("name"), name);
  if (resourceSliceCount <= 0) {
    yield here.child("resourceSliceCount").invalid(resourceSliceCount, "must be greater than zero");
  }
  if (generation < 0) yield here.child("generation").invalid(generation, "must be greater than or equal to zero");
}

const places = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function* placeRules(spec: ResourceSliceSpec): Issues {
  const { nodeName, nodeSelector } = spec;
  const given: string[] = [];
  if (nodeName !== undefined && nodeName !== "") {
    given.push("`nodeName`");
    yield* dns1123Subdomain(at.child("nodeName"), nodeName);
  } else if (nodeName === "") {
    yield at.child("nodeName").invalid(nodeName, "must be either unset or set to a non-empty string");
  }
  if (nodeSelector !== undefined) {
    given.push("`nodeSelector`");
    const here = at.child("nodeSelector");
    yield* nodeSelectorRules(here, nodeSelector);
    const terms: readonly NodeSelectorTerm[] | undefined = nodeSelector.nodeSelectorTerms;
    const why = "must have exactly one node selector term";
    if (terms?.length !== 1) yield here.child("nodeSelectorTerms").invalid(shownTerms(terms), why);
  }
  for (const name of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[name] === true) given.push(`\`${name}\``);
    else if (spec[name] === false) yield at.child(name).invalid(false, "must be either unset or set to true");
  }
  if (given.length === 0) yield at.required(places);
  else if (given.length > 1) yield at.invalid(`{${given.join(", ")}}`, `${places}, but multiple fields are set`);
}

/** Fields of features that are off in Kubernetes 1.36 are dropped, and a taint gets the time at which it was added. */
function prepared(slice: Slice, now: number): Slice {
  return changed(slice, "spec", (spec) =>
    changed(spec, "devices", (devices) =>
      each(devices, (device) => {
        const kept = having(device, "nodeAllocatableResourceMappings", undefined);
        const single = changed(kept, "attributes", withoutLists);
        return changed(single, "taints", (taints) =>
          each(taints, (taint) => filled(taint, { timeAdded: formatTime(now) })),
        );
      }),
    ),
  );
}

type Attributes = NonNullable<Device["attributes"]>;

function withoutLists(attributes: Attributes): Attributes {
  const lists = ["ints", "bools", "strings", "versions"] as const;
  if (!Object.values(attributes).some((one) => lists.some((name) => name in one))) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).map(([key, one]) => [
      key,
      lists.reduce((rest, name) => having(rest, name, undefined), one),
    ]),
  );
}

export const resourceSliceStrategy: Strategy<Slice> = {
  group: "resource.k8s.io",
  kind: "ResourceSlice",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  deleteReturnsObject: true,
  prepareForCreate: (slice, { now }) => prepared(slice, now),
  prepareForUpdate: (slice, _, { now }) => prepared(slice, now),
  validateCreate: (slice) => sliceRules(slice, undefined),
  validateUpdate: sliceRules,
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver ?? "",
    "spec.pool.name": ({ spec }) => spec.pool?.name ?? "",
  },
};
