/** Strategies of device claims, their templates and device classes. The expressions of selectors are not validated here. */
import {
  type DeviceClaim,
  type DeviceClass as AnyClass,
  type DeviceConstraint,
  type DeviceRequest,
  type DeviceSelector,
  type ExactDeviceRequest,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooMany,
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
  if (names.length > limit) yield fieldTooMany(at, names.length, limit);
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) yield fieldDuplicate(at.index(index), name);
    seen.add(name);
  }
}

function* claimRules(at: Path, { requests = [], constraints = [], config = [] }: DeviceClaim): Issues {
  const known = new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((one) => `${name}/${one.name}`)]),
  );
  for (const [index, request] of requests.entries()) yield* requestRules(at.child("requests").index(index), request);
  yield* distinct(
    at.child("requests"),
    requests.map(({ name }) => name),
  );
  for (const [index, constraint] of constraints.entries()) {
    yield* constraintRules(at.child("constraints").index(index), constraint, known);
  }
  for (const [index, one] of config.entries()) {
    const here = at.child("config").index(index);
    yield* references(here.child("requests"), one.requests ?? [], known);
    yield* opaqueRules(here.child("opaque"), one.opaque);
  }
}

const oneForm = "exactly one of `exactly` or `firstAvailable` is required";

function* requestRules(at: Path, { name = "", exactly, firstAvailable = [] }: Partial<DeviceRequest>): Issues {
  yield* dns1123Label(at.child("name"), name);
  if (exactly === undefined && firstAvailable.length === 0) yield fieldRequired(at, oneForm);
  else if (exactly !== undefined && firstAvailable.length > 0) {
    yield fieldInvalid(at, undefined, `${oneForm}, but multiple fields are set`);
  } else if (exactly !== undefined) yield* deviceRules(at.child("exactly"), exactly);
  for (const [index, one] of (exactly === undefined ? firstAvailable : []).entries()) {
    const here = at.child("firstAvailable").index(index);
    yield* dns1123Label(here.child("name"), one.name);
    yield* deviceRules(here, one);
  }
}

function* deviceRules(at: Path, request: Partial<ExactDeviceRequest>): Issues {
  const { deviceClassName = "", selectors = [], allocationMode = "", count = 0 } = request;
  if (deviceClassName === "") yield fieldRequired(at.child("deviceClassName"));
  else yield* dns1123Subdomain(at.child("deviceClassName"), deviceClassName);
  yield* selectorRules(at.child("selectors"), selectors);
  if (allocationMode === "All") {
    const why = "must not be specified when allocationMode is 'All'";
    if (count !== 0) yield fieldInvalid(at.child("count"), count, why);
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) yield fieldInvalid(at.child("count"), count, "must be greater than zero");
  } else yield fieldNotSupported(at.child("allocationMode"), allocationMode, ["All", "ExactCount"]);
}

function* selectorRules(at: Path, selectors: readonly DeviceSelector[]): Issues {
  if (selectors.length > most) yield fieldTooMany(at, selectors.length, most);
  for (const [index, { cel }] of selectors.entries()) {
    if (cel === undefined) yield fieldRequired(at.index(index).child("cel"));
  }
}

const noRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

function* references(at: Path, names: readonly string[], known: ReadonlySet<string>): Issues {
  for (const [index, name] of names.entries()) {
    const here = at.index(index);
    const parts = name.split("/");
    if (parts.length <= 2) for (const part of parts) yield* formed(here, part, isDns1123Label(part));
    if (!known.has(name)) yield fieldInvalid(here, name, noRequest);
  }
  yield* distinct(at, names);
}

function* constraintRules(at: Path, constraint: DeviceConstraint, known: ReadonlySet<string>): Issues {
  yield* references(at.child("requests"), constraint.requests ?? [], known);
  if (constraint.matchAttribute === undefined && constraint.distinctAttribute === undefined) {
    const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    yield fieldRequired(at, why);
  }
}

function* opaqueRules(at: Path, opaque: Partial<OpaqueDeviceConfiguration> | undefined): Issues {
  if (opaque === undefined) {
    yield fieldRequired(at);
    return;
  }
  yield* driverName(at.child("driver"), opaque.driver ?? "");
  if (opaque.parameters === undefined) yield fieldRequired(at.child("parameters"));
}

export function* driverName(at: Path, name: string): Issues {
  if (name === "") yield fieldRequired(at);
  else yield* formed(at, name, isDns1123Subdomain(name.toLowerCase()));
}

export const resourceClaimStrategy: Strategy<Claim> = {
  group,
  kind: "ResourceClaim",
  deleteReturnsObject: true,
  setDefaults: (claim) => changed(claim, "spec", (given) => changed(given, "devices", claimDefaults)),
  validateCreate: (claim) => [...claimRules(spec.child("devices"), claim.spec.devices ?? {})],
  validateUpdate: (claim, old) => [...immutable(spec, claim.spec, old.spec)],
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
  validateUpdate: (template, old) => [...immutable(spec, template.spec, old.spec)],
};

function* classRules({ spec: given }: Class): Issues {
  yield* selectorRules(spec.child("selectors"), given.selectors ?? []);
  for (const [index, { opaque }] of (given.config ?? []).entries()) {
    yield* opaqueRules(spec.child("config").index(index).child("opaque"), opaque);
  }
}

export const deviceClassStrategy: Strategy<Class> = {
  group,
  kind: "DeviceClass",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  deleteReturnsObject: true,
  validateCreate: (one) => [...classRules(one)],
  validateUpdate: (one) => [...classRules(one)],
};
