/** The claims of devices that a pod's status tells of: of the pod's own claims, and of those made for its extended resources. */
import {
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  isDns1123Subdomain,
  type Pod,
  type PodExtendedResourceClaimStatus,
} from "../../../../api/index.js";
import { own } from "../../../../base/members.js";
import { dns1123Label, formed, type Issues } from "../rules/issues.js";

export function* claimStatusRules(pod: Pod): Issues {
  yield* ownClaimRules(pod);
  yield* extendedClaimRules(pod);
}

function* ownClaimRules({ spec, status }: Pod): Issues {
  const claims = new Set((spec?.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  for (const [index, { name = "", resourceClaimName: claim }] of (status?.resourceClaimStatuses ?? []).entries()) {
    const here = fieldPath("status", "resourceClaimStatuses").index(index);
    const why = "must match the name of an entry in `spec.resourceClaims`";
    if (!claims.has(name)) yield fieldInvalid(here.child("name"), name, why);
    if (seen.has(name)) yield fieldDuplicate(here.child("name"), name);
    seen.add(name);
    if (claim !== undefined) yield* formed(here.child("resourceClaimName"), claim, isDns1123Subdomain(claim));
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
  if (requestMappings.length === 0) yield fieldRequired(mappings, "at least one request mapping is required");
  const seen = new Set<string>();
  for (const [index, { containerName = "", resourceName = "", requestName = "" }] of requestMappings.entries()) {
    const here = mappings.index(index);
    const container = containers.get(containerName);
    if (container === undefined) {
      const why = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      yield fieldInvalid(here.child("containerName"), containerName, why);
    } else if (own(container.resources?.requests, resourceName) === undefined) {
      const why =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      yield fieldInvalid(here.child("resourceName"), resourceName, why);
    }
    yield* dns1123Label(at.child("requestName"), requestName);
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      yield fieldDuplicate(here.child("containerName"), containerName);
      yield fieldDuplicate(here.child("resourceName"), resourceName);
      yield fieldDuplicate(here.child("requestName"), requestName);
    }
    seen.add(key);
  }
  if (claim === "") yield fieldRequired(at.child("resourceClaimName"));
  else yield* formed(at.child("resourceClaimName"), claim, isDns1123Subdomain(claim));
}
