/** Strategies of service CIDRs and IP addresses. */
import {
  fieldPath,
  type IPAddress as AnyAddress,
  type ParentReference,
  type ServiceCIDR as AnyRange,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { canonicalIpAddress, cidr, parseCidr } from "../rules/addresses.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Subdomain,
  immutable,
  immutableField,
  inTurn,
  type Issues,
  type Path,
  pathSegmentName,
  required,
} from "../rules/issues.js";

type Address = WithSpec<AnyAddress>;
type Range = WithSpec<AnyRange>;

const at = fieldPath("spec", "cidrs");

/** The faults of a name that must be an address in canonical form. */
function addressName(name: string): readonly string[] {
  const quoted = `Invalid value: ${JSON.stringify(name)}: `;
  return [...canonicalIpAddress(fieldPath("metadata", "name"), name)].map(({ message }) =>
    message.slice(quoted.length),
  );
}

function* parent(here: Path, reference: Partial<ParentReference> | undefined): Issues {
  if (reference === undefined) {
    yield here.required();
    return;
  }
  const { group = "", resource = "", name = "", namespace = "" } = reference;
  if (group !== "") yield* dns1123Subdomain(here.child("group"), group);
  yield* required(here.child("resource"), resource, pathSegmentName);
  yield* required(here.child("name"), name, pathSegmentName);
  if (namespace !== "") yield* pathSegmentName(here.child("namespace"), namespace);
}

/** The reference as messages print it. */
const shown = (reference: ParentReference | undefined): unknown =>
  reference && {
    Group: reference.group ?? "",
    Resource: reference.resource ?? "",
    Namespace: reference.namespace ?? "",
    Name: reference.name ?? "",
  };

export const ipAddressStrategy: Strategy<Address> = {
  group: "networking.k8s.io",
  kind: "IPAddress",
  validateName: addressName,
  validateCreate: ({ spec }) => parent(fieldPath("spec", "parentRef"), spec?.parentRef),
  validateUpdate: ({ spec }, old) =>
    inTurn(
      parent(fieldPath("spec", "parentRef"), spec?.parentRef),
      immutable(fieldPath("spec", "parentRef"), shown(spec?.parentRef), shown(old.spec?.parentRef)),
    ),
};

function* rangeRules({ spec }: Range): Issues {
  const ranges = spec?.cidrs ?? [];
  if (ranges.length === 0) {
    yield at.required("at least one CIDR required");
    return;
  }
  if (ranges.length > 2) {
    yield at.invalid({ CIDRs: ranges }, "may only hold up to 2 values");
    return;
  }
  for (const [here, range] of at.items(ranges)) yield* cidr(here, range);
  const [first, second] = ranges.map((range) => parseCidr(range)?.family);
  if (ranges.length === 2 && first !== undefined && first === second) {
    const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    yield at.invalid(ranges, why);
  }
}

/** A second family may be added; nothing else may change. */
function* rangeChanges(range: Range, old: Range): Issues {
  const now = range.spec?.cidrs ?? [];
  const before = old.spec?.cidrs ?? [];
  if (now.length === before.length || (before.length === 1 && now.length === 2)) {
    for (const [index, one] of before.entries()) {
      if (one !== now[index]) yield at.index(index).invalid(now[index], immutableField);
    }
    if (now.length !== before.length) yield* rangeRules(range);
  } else {
    yield at.invalid(range.spec?.cidrs, immutableField);
  }
}

export const serviceCidrStrategy: Strategy<Range> = {
  group: "networking.k8s.io",
  kind: "ServiceCIDR",
  lenient: { prefixOnUpdate: true },
  validateCreate: rangeRules,
  validateUpdate: rangeChanges,
};
