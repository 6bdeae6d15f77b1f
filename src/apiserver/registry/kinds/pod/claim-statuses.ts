/** The claims of devices that a pod's status tells of: the pod's own claims, and the claims made for its extended resources. */
import { fieldPath, type Pod, type PodExtendedResourceClaimStatus } from "../../../../api/index.js";
import { own, repeats } from "../../../../base/members.js";
import { dns1123Label, dns1123Subdomain, type Issues, required } from "../rules/issues.js";

export function* claimStatusRules(pod: Pod): Issues {
  yield* ownClaimRules(pod);
  yield* extendedClaimRules(pod);
}

function* ownClaimRules({ spec, status }: Pod): Issues {
  const claims = new Set((spec?.resourceClaims ?? []).map(({ name }) => name));
  const isRepeat = repeats();
  for (const [here, { name = "", resourceClaimName: claim }] of fieldPath("status", "resourceClaimStatuses").items(
    status?.resourceClaimStatuses,
  )) {
    const why = "must match the name of an entry in `spec.resourceClaims`";
    if (!claims.has(name)) yield here.child("name").invalid(name, why);
    if (isRepeat(name)) yield here.child("name").duplicate(name);
    if (claim !== undefined) yield* dns1123Subdomain(here.child("resourceClaimName"), claim);
  }
}

const at = fieldPath("status", "extendedResourceClaimStatus");

function* extendedClaimRules({ spec, status }: Pod): Issues {
  const told: Partial<PodExtendedResourceClaimStatus> | undefined = status?.extendedResourceClaimStatus;
  if (told === undefined) return;
  const { requestMappings = [], resourceClaimName: claim = "" } = told;
  const containers = new Map(
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((one) => [one.name, one]),
  );
  const mappings = at.child("requestMappings");
  if (requestMappings.length === 0) yield mappings.required("at least one request mapping is required");
  const isRepeat = repeats();
  for (const [here, { containerName = "", resourceName = "", requestName = "" }] of mappings.items(requestMappings)) {
    const container = containers.get(containerName);
    if (container === undefined) {
      const why = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      yield here.child("containerName").invalid(containerName, why);
    } else if (own(container.resources?.requests, resourceName) === undefined) {
      const why =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      yield here.child("resourceName").invalid(resourceName, why);
    }
    yield* dns1123Label(at.child("requestName"), requestName);
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (isRepeat(key)) {
      yield here.child("containerName").duplicate(containerName);
      yield here.child("resourceName").duplicate(resourceName);
      yield here.child("requestName").duplicate(requestName);
    }
  }
  yield* required(at.child("resourceClaimName"), claim, dns1123Subdomain);
}
