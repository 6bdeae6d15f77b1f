/** The strategy of resource slices, in which a driver describes the devices of a pool. */
import {
  fieldPath,
  isDns1123Subdomain,
  type ResourceSlice as AnySlice,
  type ResourceSliceSpec,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import type { WithSpec } from "../rules/formed.js";
import { dns1123Label, dns1123Subdomain, formed, immutable, type Issues, type Path } from "../rules/issues.js";
import { distinct, driverName } from "./claims.js";

type Slice = WithSpec<AnySlice>;

const at = fieldPath("spec");

function* sliceRules({ spec }: Slice, old: Slice | undefined): Issues {
  yield* driverName(at.child("driver"), spec.driver ?? "");
  yield* poolRules(at.child("pool"), spec.pool ?? {});
  if (old !== undefined) {
    yield* immutable(at.child("pool", "name"), spec.pool?.name, old.spec.pool?.name);
    yield* immutable(at.child("driver"), spec.driver, old.spec.driver);
    yield* immutable(at.child("nodeName"), spec.nodeName, old.spec.nodeName);
  }
  yield* placeRules(spec);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined) {
    yield at.invalid("", "only one of `sharedCounters` or `devices` is allowed");
  }
  const devices = spec.devices ?? [];
  for (const [here, device] of at.child("devices").items(devices)) {
    yield* dns1123Label(here.child("name"), device.name);
    const placed = device.nodeName ?? device.nodeSelector ?? device.allNodes;
    if (!spec.perDeviceNodeSelection && placed !== undefined) {
      const why =
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
      yield here.invalid(undefined, why);
    }
  }
  yield* distinct(
    at.child("devices"),
    devices.map(({ name }) => name),
    128,
  );
}

function* poolRules(
  here: Path,
  { name = "", resourceSliceCount = 0, generation = 0 }: Partial<ResourceSliceSpec["pool"]>,
): Issues {
  if (name === "") yield here.child("name").required();
  else for (const part of name.split("/")) yield* formed(here.child("name"), part, isDns1123Subdomain(part));
  if (resourceSliceCount <= 0) {
    yield here.child("resourceSliceCount").invalid(resourceSliceCount, "must be greater than zero");
  }
  if (generation < 0) yield here.child("generation").invalid(generation, "must be greater than or equal to zero");
}

const places = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function* placeRules(spec: ResourceSliceSpec): Issues {
  const { nodeName, nodeSelector } = spec;
  const set: string[] = [];
  if (nodeName !== undefined && nodeName !== "") {
    set.push("`nodeName`");
    yield* dns1123Subdomain(at.child("nodeName"), nodeName);
  } else if (nodeName === "") {
    yield at.child("nodeName").invalid(nodeName, "must be either unset or set to a non-empty string");
  }
  if (nodeSelector !== undefined) set.push("`nodeSelector`");
  for (const name of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[name] === true) set.push(`\`${name}\``);
    else if (spec[name] === false) yield at.child(name).invalid(false, "must be either unset or set to true");
  }
  if (set.length === 0) yield at.required(places);
  else if (set.length > 1) yield at.invalid(`{${set.join(", ")}}`, `${places}, but multiple fields are set`);
}

export const resourceSliceStrategy: Strategy<Slice> = {
  group: "resource.k8s.io",
  kind: "ResourceSlice",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  deleteReturnsObject: true,
  validateCreate: (slice) => sliceRules(slice, undefined),
  validateUpdate: sliceRules,
  selectableFieldNames: ["spec.nodeName", "spec.driver", "spec.pool.name"],
  selectableFields: ({ spec }) => ({
    "spec.nodeName": spec.nodeName ?? "",
    "spec.driver": spec.driver ?? "",
    "spec.pool.name": spec.pool?.name ?? "",
  }),
};
