/** Rules for the resources of a whole pod and the sums of its containers. */
import { type Amounts, parseQuantity, podAmounts, type PodSpec } from "../../../../../api/index.js";
import { own } from "../../../../../base/members.js";
import { filled, having } from "../../rules/fill.js";
import { type Issues, type Path } from "../../rules/issues.js";
import { isHugePages, resourceName, resourceRequirements } from "../../rules/resources.js";

const podLevel = ["cpu", "hugepages-", "memory"];

export const isPodLevelResource = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

/** The demand of the containers, whatever the pod's own resources say. */
export function containerAmounts(spec: PodSpec, list: "requests" | "limits"): Amounts {
  return podAmounts({ spec: filled(having(spec, "resources", undefined), { containers: [] }) }, list);
}

function* podResourceName(at: Path, name: string): Issues {
  const errors = [...resourceName(at, name)];
  yield* errors;
  if (errors.length === 0 && !isPodLevelResource(name)) yield at.notSupported(name, podLevel);
}

export function* podResources(at: Path, spec: PodSpec): Issues {
  const { resources } = spec;
  if (resources === undefined) return;
  if (spec.os?.name === "windows") {
    yield at.forbidden("may not be set for a windows pod");
    return;
  }
  if (resources.claims !== undefined) {
    yield at.child("claims").forbidden("claims may not be set for Resources at pod-level");
  }
  const podClaims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  yield* resourceRequirements(at, resources, { name: podResourceName, podClaims });
  yield* sums(at, spec);
  for (const [place, container] of at.child("containers").items(spec.containers)) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const most = own(resources.limits, name);
      if (most === undefined || parseQuantity(limit).compare(parseQuantity(most)) <= 0) continue;
      const here = place.key(name).child("limits");
      yield here.invalid(limit, `must be less than or equal to pod limits of ${most}`);
    }
  }
}

function* sums(at: Path, spec: PodSpec): Issues {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  for (const [name, amount] of containerAmounts(spec, "requests")) {
    const given = own(requests, name);
    if (given === undefined || amount.compare(parseQuantity(given)) <= 0) continue;
    const why = `must be greater than or equal to aggregate container requests of ${amount}`;
    yield at.child("requests").key(name).invalid(given, why);
  }
  for (const [name, amount] of containerAmounts(spec, "limits")) {
    const given = own(limits, name);
    if (!isHugePages(name) || given === undefined || amount.compare(parseQuantity(given)) <= 0) continue;
    const why = `must be greater than or equal to aggregate container limits of ${amount}`;
    yield at.child("limits").key(name).invalid(given, why);
  }
}
