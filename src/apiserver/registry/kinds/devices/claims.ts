/** Strategies of device claims, their templates and device classes. The expressions of selectors are not validated here. */
import {
  type DeviceClaim,
  type DeviceClass as AnyClass,
  type DeviceConstraint,
  type DeviceRequest,
  type DeviceSelector,
  type ExactDeviceRequest,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  type OpaqueDeviceConfiguration,
  type ResourceClaim as AnyClaim,
  type ResourceClaimTemplate as AnyTemplate,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  annotationMap,
  dns1123Label,
  dns1123Subdomain,
  formed,
  immutable,
  type Issues,
  labelMap,
  type Path,
} from "../rules/issues.js";

type Claim = WithSpec<AnyClaim>;
type Template = WithSpec<AnyTemplate>;
type Class = WithSpec<AnyClass>;

const group = "resource.k8s.io";
const spec = fieldPath("spec");
const most = 32;

/** The default is one device. */
const countDefaults = <T extends Partial<ExactDeviceRequest>>(request: T): T => {
  const counted = filled(request, { allocationMode: "ExactCount" } as Partial<T>);
  return counted.allocationMode === "ExactCount" && !counted.count ? { ...counted, count: 1 } : counted;
};

const claimDefaults = (claim: DeviceClaim): DeviceClaim =>
  changed(claim, "requests", (requests) =>
    each(requests, (request) =>
      changed(changed(request, "exactly", countDefaults), "firstAvailable", (all) => each(all, countDefaults)),
    ),
  );

/** Limits the number of names, and refuses duplicates. */
export function* distinct(at: Path, names: readonly string[], limit: number = most): Issues {
  if (names.length > limit) yield at.tooMany(names.length, limit);
  const seen = new Set<string>();
  for (const [here, name] of at.items(names)) {
    if (seen.has(name)) yield here.duplicate(name);
    seen.add(name);
  }
}

function* claimRules(at: Path, { requests = [], constraints = [], config = [] }: DeviceClaim): Issues {
  const known = new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((one) => `${name}/${one.name}`)]),
  );
  for (const [place, request] of at.child("requests").items(requests)) yield* requestRules(place, request);
  yield* distinct(
    at.child("requests"),
    requests.map(({ name }) => name),
  );
  for (const [itemAt, constraint] of at.child("constraints").items(constraints)) {
    yield* constraintRules(itemAt, constraint, known);
  }
  for (const [here, one] of at.child("config").items(config)) {
    yield* references(here.child("requests"), one.requests ?? [], known);
    yield* opaqueRules(here.child("opaque"), one.opaque);
  }
}

const oneForm = "exactly one of `exactly` or `firstAvailable` is required";

function* requestRules(at: Path, { name = "", exactly, firstAvailable = [] }: Partial<DeviceRequest>): Issues {
  yield* dns1123Label(at.child("name"), name);
  if (exactly === undefined && firstAvailable.length === 0) yield at.required(oneForm);
  else if (exactly !== undefined && firstAvailable.length > 0) {
    yield at.invalid(undefined, `${oneForm}, but multiple fields are set`);
  } else if (exactly !== undefined) yield* deviceRules(at.child("exactly"), exactly);
  for (const [here, one] of at.child("firstAvailable").items(exactly === undefined ? firstAvailable : [])) {
    yield* dns1123Label(here.child("name"), one.name);
    yield* deviceRules(here, one);
  }
}

function* deviceRules(at: Path, request: Partial<ExactDeviceRequest>): Issues {
  const { deviceClassName = "", selectors = [], allocationMode = "", count = 0 } = request;
  if (deviceClassName === "") yield at.child("deviceClassName").required();
  else yield* dns1123Subdomain(at.child("deviceClassName"), deviceClassName);
  yield* selectorRules(at.child("selectors"), selectors);
  if (allocationMode === "All") {
    const why = "must not be specified when allocationMode is 'All'";
    if (count !== 0) yield at.child("count").invalid(count, why);
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) yield at.child("count").invalid(count, "must be greater than zero");
  } else yield at.child("allocationMode").notSupported(allocationMode, ["All", "ExactCount"]);
}

function* selectorRules(at: Path, selectors: readonly DeviceSelector[]): Issues {
  if (selectors.length > most) yield at.tooMany(selectors.length, most);
  for (const [here, { cel }] of at.items(selectors)) {
    if (cel === undefined) yield here.child("cel").required();
  }
}

const noRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

function* references(at: Path, names: readonly string[], known: ReadonlySet<string>): Issues {
  for (const [here, name] of at.items(names)) {
    const parts = name.split("/");
    if (parts.length <= 2) for (const part of parts) yield* formed(here, part, isDns1123Label(part));
    if (!known.has(name)) yield here.invalid(name, noRequest);
  }
  yield* distinct(at, names);
}

function* constraintRules(at: Path, constraint: DeviceConstraint, known: ReadonlySet<string>): Issues {
  yield* references(at.child("requests"), constraint.requests ?? [], known);
  if (constraint.matchAttribute === undefined && constraint.distinctAttribute === undefined) {
    const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    yield at.required(why);
  }
}

function* opaqueRules(at: Path, opaque: Partial<OpaqueDeviceConfiguration> | undefined): Issues {
  if (opaque === undefined) {
    yield at.required();
    return;
  }
  yield* driverName(at.child("driver"), opaque.driver ?? "");
  if (opaque.parameters === undefined) yield at.child("parameters").required();
}

export function* driverName(at: Path, name: string): Issues {
  if (name === "") yield at.required();
  else yield* formed(at, name, isDns1123Subdomain(name.toLowerCase()));
}

export const resourceClaimStrategy: Strategy<Claim> = {
  group,
  kind: "ResourceClaim",
  deleteReturnsObject: true,
  setDefaults: (claim) => changed(claim, "spec", (given) => changed(given, "devices", claimDefaults)),
  validateCreate: (claim) => claimRules(spec.child("devices"), claim.spec.devices ?? {}),
  validateUpdate: (claim, old) => immutable(spec, claim.spec, old.spec),
};

export const resourceClaimTemplateStrategy: Strategy<Template> = {
  group,
  kind: "ResourceClaimTemplate",
  deleteReturnsObject: true,
  setDefaults: (template) =>
    changed(template, "spec", (outer) => changed(outer, "spec", (given) => changed(given, "devices", claimDefaults))),
  validateCreate: ({ spec: outer }) => [
    ...labelMap(spec.child("metadata", "labels"), outer.metadata?.labels),
    ...annotationMap(spec.child("metadata", "annotations"), outer.metadata?.annotations),
    ...claimRules(spec.child("spec", "devices"), outer.spec?.devices ?? {}),
  ],
  validateUpdate: (template, old) => immutable(spec, template.spec, old.spec),
};

function* classRules({ spec: given }: Class): Issues {
  yield* selectorRules(spec.child("selectors"), given.selectors ?? []);
  for (const [here, { opaque }] of spec.child("config").items(given.config)) {
    yield* opaqueRules(here.child("opaque"), opaque);
  }
}

export const deviceClassStrategy: Strategy<Class> = {
  group,
  kind: "DeviceClass",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  deleteReturnsObject: true,
  validateCreate: classRules,
  validateUpdate: classRules,
};
