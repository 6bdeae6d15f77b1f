/** Defaults and rules of the container statuses that a kubelet reports. */
import {
  type Container,
  type ContainerStatus,
  fieldPath,
  type Pod,
  type PodStatus,
  type ResourceHealth,
  type ResourceStatus,
} from "../../../../api/index.js";
import { changed, each, having, roundedAmounts, roundedRequirements } from "../rules/fill.js";
import { type Issues, optionalOneOf, type Path } from "../rules/issues.js";
import { repeats } from "../../../../base/members.js";

const lists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] as const;

/** The status with its amounts rounded, and without the fields of disabled feature gates. */
export function containerStatusDefaults(status: PodStatus): PodStatus {
  let result = having(status, "nodeAllocatableResourceClaimStatuses", undefined);
  for (const list of lists) result = changed(result, list, (statuses) => each(statuses, defaults));
  return result;
}

function defaults(status: ContainerStatus): ContainerStatus {
  let result = changed(status, "allocatedResources", roundedAmounts);
  result = changed(result, "resources", roundedRequirements);
  return changed(result, "volumeMounts", (mounts) => each(mounts, (mount) => having(mount, "volumeStatus", undefined)));
}

export function* containerStatusRules({ spec, status = {} }: Pod): Issues {
  const described = { initContainerStatuses: spec?.initContainers, containerStatuses: spec?.containers };
  for (const list of lists) {
    const containers = list === "ephemeralContainerStatuses" ? [] : (described[list] ?? []);
    const byName = new Map(containers.map((container) => [container.name, container]));
    for (const [at, one] of fieldPath("status", list).items(status[list])) {
      yield* user(at.child("user", "linux"), one.user?.linux ?? {});
      const here = at.child("allocatedResourcesStatus");
      const resources = one.allocatedResourcesStatus ?? [];
      if (list === "ephemeralContainerStatuses") {
        if (resources.length > 0) yield here.forbidden("must not be specified in container status");
      } else {
        const container = byName.get(one.name);
        const names = container && resourcesOf(container);
        for (const [place, resource] of here.items(resources)) yield* allocatedResource(place, resource, names);
      }
    }
  }
}

type User = NonNullable<NonNullable<ContainerStatus["user"]>["linux"]>;

function* user(at: Path, { uid = 0, gid = 0, supplementalGroups = [] }: Partial<User>): Issues {
  yield* identity(at.child("uid"), uid);
  yield* identity(at.child("gid"), gid);
  for (const [here, group] of at.child("supplementalGroups").items(supplementalGroups)) {
    yield* identity(here, group);
  }
}

function* identity(at: Path, id: number): Issues {
  if (id < 0 || id > 2 ** 31 - 1) yield at.invalid(id, "must be between 0 and 2147483647, inclusive");
}

const longestMessage = 1024;

/** `names` is undefined for a container that the pod does not have: then every name is right. */
function* allocatedResource(
  at: Path,
  { name, resources }: ResourceStatus,
  names: ReadonlySet<string> | undefined,
): Issues {
  if (names?.has(name) === false) {
    const why = name.startsWith("claim:")
      ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
      : "must match one of the container's resource requests";
    yield at.child("name").invalid(name, why);
  }
  const isRepeat = repeats();
  for (const [here, device] of at.child("resources").items(resources)) {
    yield* deviceHealth(here, device);
    if (isRepeat(device.resourceID)) yield here.child("resourceID").duplicate(device.resourceID);
  }
}

/** The names under which a status may speak of a container's resources. */
function resourcesOf({ resources = {} }: Container): ReadonlySet<string> {
  const claims = (resources.claims ?? []).map(({ name, request }) => `claim:${name}${request ? `/${request}` : ""}`);
  const requests = Object.keys(resources.requests ?? {}).filter((name) => !name.startsWith("claim:"));
  return new Set([...claims, ...requests]);
}

function* deviceHealth(at: Path, { health = "", message }: ResourceHealth): Issues {
  yield* optionalOneOf(at.child("health"), health, ["Healthy", "Unhealthy", "Unknown"]);
  if (message === "") yield at.child("message").required("must be non-empty if specified");
  else if (Buffer.byteLength(message ?? "") > longestMessage) yield at.child("message").tooLong(longestMessage);
}
