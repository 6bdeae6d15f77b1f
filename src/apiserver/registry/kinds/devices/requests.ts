/** Defaults and rules of a device claim: its requests, constraints and configurations. */
import {
  type DeviceAllocationConfiguration,
  type DeviceClaim,
  type DeviceConstraint,
  type DeviceRequest,
  type DeviceSubRequest,
  type ExactDeviceRequest,
} from "../../../../api/index.js";
import { changed, each, filledText } from "../rules/fill.js";
import { dns1123Label, dns1123Subdomain, type Issues, type Path, required } from "../rules/issues.js";
import { distinct, fullAttributeName, limited } from "./names.js";
import { configurationRules, maxConfigurations, selectorRules } from "./selectors.js";
import { tolerationDefaults, tolerationsRules } from "./taints.js";

const maxRequests = 32;
const maxAlternatives = 8;
const maxConstraints = 32;

type AnyRequest = Partial<ExactDeviceRequest>;
type Configured = Pick<DeviceAllocationConfiguration, "requests" | "opaque">;

/** The default is one device. */
const requestDefaults = <T extends AnyRequest>(request: T): T => {
  const tolerant = changed(request, "tolerations", tolerationDefaults as never);
  const counted = filledText(tolerant, "allocationMode", "ExactCount" as T["allocationMode"]);
  return counted.allocationMode === "ExactCount" && !counted.count ? { ...counted, count: 1 } : counted;
};

export const claimDefaults = (claim: DeviceClaim): DeviceClaim =>
  changed(claim, "requests", (requests) =>
    each(requests, (request) =>
      changed(changed(request, "exactly", requestDefaults), "firstAvailable", (all) => each(all, requestDefaults)),
    ),
  );

/** The names by which the rest of a claim may refer to its requests: `request` or `request/alternative`. */
export const requestNames = ({ requests = [] }: DeviceClaim): ReadonlySet<string> =>
  new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((one) => `${name}/${one.name}`)]),
  );

export function* claimRules(at: Path, claim: DeviceClaim): Issues {
  const known = requestNames(claim);
  const byName = ({ name }: DeviceRequest): string => name;
  yield* distinct(at.child("requests"), claim.requests, { limit: maxRequests, rule: requestRules, key: byName });
  yield* limited(at.child("constraints"), claim.constraints, maxConstraints, (here, constraint) =>
    constraintRules(here, constraint, known),
  );
  yield* limited(at.child("config"), claim.config, maxConfigurations, (here, configuration) =>
    claimConfigurationRules(here, configuration, known),
  );
}

export function* claimConfigurationRules(at: Path, configuration: Configured, known: ReadonlySet<string>): Issues {
  yield* referencesRules(at.child("requests"), configuration.requests, known);
  yield* configurationRules(at, configuration);
}

const oneForm = "exactly one of `exactly` or `firstAvailable` is required";

function* requestRules(at: Path, { name = "", exactly, firstAvailable = [] }: Partial<DeviceRequest>): Issues {
  yield* dns1123Label(at.child("name"), name);
  if (exactly === undefined && firstAvailable.length === 0) yield at.required(oneForm);
  else if (exactly !== undefined && firstAvailable.length > 0) {
    yield at.invalid(undefined, `${oneForm}, but multiple fields are set`);
  } else if (exactly !== undefined) yield* deviceRules(at.child("exactly"), exactly);
  else {
    yield* distinct(at.child("firstAvailable"), firstAvailable, {
      limit: maxAlternatives,
      key: (alternative) => alternative.name,
      rule: alternativeRules,
    });
  }
}

function* alternativeRules(at: Path, alternative: DeviceSubRequest): Issues {
  yield* dns1123Label(at.child("name"), alternative.name);
  yield* deviceRules(at, alternative);
}

function* deviceRules(at: Path, request: AnyRequest): Issues {
  const { deviceClassName = "", allocationMode = "", count = 0 } = request;
  yield* required(at.child("deviceClassName"), deviceClassName, dns1123Subdomain);
  yield* selectorRules(at.child("selectors"), request.selectors);
  if (allocationMode === "All") {
    const why = "must not be specified when allocationMode is 'All'";
    if (count !== 0) yield at.child("count").invalid(count, why);
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) yield at.child("count").invalid(count, "must be greater than zero");
  } else yield at.child("allocationMode").notSupported(allocationMode, ["All", "ExactCount"]);
  yield* tolerationsRules(at.child("tolerations"), request.tolerations);
}

const noRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The name of a request, or of one of its alternatives. */
export function* referenceRules(at: Path, name: string, known: ReadonlySet<string>): Issues {
  const parts = name.split("/");
  if (parts.length <= 2) for (const part of parts) yield* dns1123Label(at, part);
  if (!known.has(name)) yield at.invalid(name, noRequest);
}

const referencesRules = (at: Path, names: readonly string[] | undefined, known: ReadonlySet<string>): Issues =>
  distinct(at, names, {
    limit: maxRequests,
    rule: (here, name) => referenceRules(here, name, known),
    key: (name) => name,
  });

function* constraintRules(at: Path, constraint: DeviceConstraint, known: ReadonlySet<string>): Issues {
  const { requests, matchAttribute, distinctAttribute } = constraint;
  yield* referencesRules(at.child("requests"), requests, known);
  if (matchAttribute !== undefined) yield* fullAttributeName(at.child("matchAttribute"), matchAttribute);
  else if (distinctAttribute !== undefined) yield* fullAttributeName(at.child("distinctAttribute"), distinctAttribute);
  else {
    const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    yield at.required(why);
  }
}
