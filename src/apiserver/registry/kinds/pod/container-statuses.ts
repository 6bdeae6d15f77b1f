/** Defaults and rules of the container statuses that a kubelet reports. */
import {
  type ContainerStatus,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  type PodStatus,
} from "../../../../api/index.js";
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
    for (const [index, one] of (status[list] ?? []).entries()) {
      const at = fieldPath("status", list).index(index);
      yield* user(at.child("user", "linux"), one.user?.linux ?? {});
      const health = at.child("allocatedResourcesStatus");
      if (list !== "ephemeralContainerStatuses") yield* resourceHealth(health, one.allocatedResourcesStatus ?? []);
      else if ((one.allocatedResourcesStatus ?? []).length > 0) {
        yield fieldForbidden(health, "must not be specified in container status");
      }
    }
  }
}

type User = NonNullable<NonNullable<ContainerStatus["user"]>["linux"]>;

function* user(at: Path, { uid = 0, gid = 0, supplementalGroups = [] }: Partial<User>): Issues {
  yield* identity(at.child("uid"), uid);
  yield* identity(at.child("gid"), gid);
  for (const [index, group] of supplementalGroups.entries()) {
    yield* identity(at.child("supplementalGroups").index(index), group);
  }
}

function* identity(at: Path, id: number): Issues {
  if (id < 0 || id > 2 ** 31 - 1) yield fieldInvalid(at, id, "must be between 0 and 2147483647, inclusive");
}

const states: readonly string[] = ["Healthy", "Unhealthy", "Unknown"];

function* resourceHealth(at: Path, resources: NonNullable<ContainerStatus["allocatedResourcesStatus"]>): Issues {
  for (const [index, { resources: devices = [] }] of resources.entries()) {
    for (const [i, { health = "" }] of devices.entries()) {
      const here = at.index(index).child("resources").index(i).child("health");
      if (!states.includes(health)) yield fieldNotSupported(here, health, states);
    }
  }
}
