/** Rules for the resources of a whole pod and the sums of its containers. */
import { parseQuantity, type PodSpec, type Quantity } from "../../../../../api/index.js";
import { own } from "../../../../../base/members.js";
import { type Issues, type Path } from "../../rules/issues.js";
import { isHugePages, resourceName, resourceRequirements } from "../../rules/resources.js";

export type Amounts = ReadonlyMap<string, Quantity>;

const podLevel = ["cpu", "hugepages-", "memory"];

export const isPodLevelResource = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

/**
 * Containers run together, init containers one after the other, and sidecars beside everything that starts after them.
 * So the pod needs the larger of both sums.
 */
export function containerAmounts(spec: PodSpec, list: "requests" | "limits"): Amounts {
  const total = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) addAll(total, amountsOf(container.resources?.[list]));
  const beside = new Map<string, Quantity>();
  const highest = new Map<string, Quantity>();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[list]);
    if (container.restartPolicy === "Always") {
      addAll(total, own);
      addAll(beside, own);
      raiseTo(highest, beside);
    } else {
      const now = new Map(own);
      addAll(now, beside);
      raiseTo(highest, now);
    }
  }
  raiseTo(total, highest);
  return total;
}

function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function addAll(total: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, total.get(name)?.add(amount) ?? amount);
}

function raiseTo(total: Map<string, Quantity>, least: Amounts): void {
  for (const [name, amount] of least) {
    const now = total.get(name);
    if (now === undefined || now.compare(amount) < 0) total.set(name, amount);
  }
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
