/** Decides about one ServiceCIDR: whether it is ready, or may go. Pure. */
import {
  findCondition,
  formatTime,
  type Condition,
  type IPAddress,
  parseTime,
  type ServiceCIDR,
} from "../../api/index.js";
import { type AddressRange, isPartOf, isWithin, readAddress, parseRange } from "../../base/net/ranges.js";

export const finalizer = "networking.k8s.io/service-cidr-finalizer";
const managedBy = { label: "ipaddress.kubernetes.io/managed-by", value: "ipallocator.k8s.io" } as const;

/** A deleted range that no address needs stays for this time, so that all servers have seen that it goes. */
const graceMs = 10_000;

export type CidrStep =
  | { readonly type: "protect" }
  | { readonly type: "condition"; readonly condition: Condition }
  | { readonly type: "wait"; readonly forMs: number }
  | { readonly type: "release" };

export interface CidrSurroundings {
  /** All ranges, this one among them. */
  readonly ranges: readonly ServiceCIDR[];
  addresses(): Iterable<IPAddress>;
  readonly now: number;
}

export const rangesOf = ({ spec }: ServiceCIDR): readonly AddressRange[] =>
  (spec?.cidrs ?? []).flatMap((text) => parseRange(text) ?? []);

/** The names of the ranges in which an address of a service lies; nothing for an address of another manager. */
export function rangesWith({ metadata }: IPAddress, ranges: readonly ServiceCIDR[]): readonly string[] {
  const address = metadata.labels?.[managedBy.label] === managedBy.value ? readAddress(metadata.name) : undefined;
  if (address === undefined) return [];
  return ranges
    .filter((one) => rangesOf(one).some((range) => isWithin(address, range)))
    .map((one) => one.metadata.name);
}

export function cidrSteps(cidr: ServiceCIDR, around: CidrSurroundings): readonly CidrStep[] {
  const { deletionTimestamp, finalizers = [] } = cidr.metadata;
  const lastTransitionTime = formatTime(around.now);
  if (deletionTimestamp === undefined) {
    const message = "Kubernetes Service CIDR is ready";
    const condition = { type: "Ready", status: "True", reason: "", message, lastTransitionTime } as const;
    return [...(finalizers.includes(finalizer) ? [] : [{ type: "protect" } as const]), ...told(cidr, condition)];
  }
  if (!mayGo(cidr, around)) {
    const message =
      "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
    const condition = { type: "Ready", status: "False", reason: "Terminating", message, lastTransitionTime } as const;
    return told(cidr, condition);
  }
  const leftMs = graceMs - (around.now - parseTime(deletionTimestamp));
  if (leftMs > 0) return [{ type: "wait", forMs: leftMs }];
  return finalizers.includes(finalizer) ? [{ type: "release" }] : [];
}

function told({ status }: ServiceCIDR, condition: Condition): readonly CidrStep[] {
  const known = findCondition(status?.conditions, condition.type);
  const isKnown =
    known !== undefined &&
    known.status === condition.status &&
    (known.reason ?? "") === condition.reason &&
    known.message === condition.message;
  return isKnown ? [] : [{ type: "condition", condition }];
}

/** True if another range contains this one, or no address lies in this range alone. */
function mayGo(cidr: ServiceCIDR, { ranges, addresses }: CidrSurroundings): boolean {
  const { name } = cidr.metadata;
  const others = ranges.filter((one) => one.metadata.name !== name).flatMap(rangesOf);
  const own = rangesOf(cidr);
  if (own.every((range) => others.some((other) => isPartOf(range, other)))) return true;
  for (const address of addresses()) {
    const within = rangesWith(address, ranges);
    if (within.length === 1 && within[0] === name) return false;
  }
  return true;
}
