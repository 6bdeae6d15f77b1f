/** Defaults and rules of the container statuses that a kubelet reports. */
import { type ContainerStatus, fieldPath, type PodStatus } from "../../../../api/index.js";
import { changed, each, having, roundedAmounts, roundedRequirements } from "../rules/fill.js";
import type { Issues, Path } from "../rules/issues.js";

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

export function* containerStatusRules(status: PodStatus): Issues {
  for (const list of lists) {
    for (const [at, one] of fieldPath("status", list).items(status[list])) {
      yield* user(at.child("user", "linux"), one.user?.linux ?? {});
      const health = at.child("allocatedResourcesStatus");
      if (list !== "ephemeralContainerStatuses") yield* resourceHealth(health, one.allocatedResourcesStatus ?? []);
      else if ((one.allocatedResourcesStatus ?? []).length > 0) {
        yield health.forbidden("must not be specified in container status");
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

const states: readonly string[] = ["Healthy", "Unhealthy", "Unknown"];

function* resourceHealth(at: Path, resources: NonNullable<ContainerStatus["allocatedResourcesStatus"]>): Issues {
  for (const [place, { resources: devices = [] }] of at.items(resources)) {
    for (const [itemAt, { health = "" }] of place.child("resources").items(devices)) {
      const here = itemAt.child("health");
      if (!states.includes(health)) yield here.notSupported(health, states);
    }
  }
}
