/** Chooses the IP families of a service from the cluster's. Pure. */
import { deepEqual, fieldPath, newInvalid, type Service, type ServiceSpec, type StatusCause } from "../../api/index.js";
import { type IpFamily, ipFamilyOf } from "../../base/net/ip-family.js";

const spec = fieldPath("spec");
const kind = { group: "", kind: "Service" };

/** The service to be written, the one before it, and the families of the cluster, the first being the default. */
export interface FamilyChoice {
  readonly service: Service;
  readonly old: ServiceSpec | undefined;
  readonly configured: readonly IpFamily[];
}

/** The spec with families and policy filled in. Throws a 422 for a family that this cluster does not have. */
export function withFamilies({ service, old, configured }: FamilyChoice): ServiceSpec {
  const asked = service.spec ?? {};
  if (isSettled(asked, old)) return asked;
  const policy = asked.ipFamilyPolicy ?? old?.ipFamilyPolicy ?? defaultPolicy(asked);
  const refuse = (causes: readonly StatusCause[]): void => {
    if (causes.length > 0) throw newInvalid(kind, service.metadata.name, causes);
  };
  const given = policy === "SingleStack" ? withoutSecond(asked, old) : asked;
  const { clusterIPs = [], ipFamilies: named = [] } = given;
  refuse([
    ...(policy === "SingleStack" ? [] : releases(given, policy, old)),
    ...mismatches(policy, clusterIPs, named),
    ...unknownAddresses(clusterIPs, named, configured),
  ]);
  const ofAddresses = clusterIPs.slice(named.length).filter((address) => address !== "None");
  const ipFamilies = [...named, ...ofAddresses.map(ipFamilyOf)];
  const families = ipFamilies.length > 0 ? ipFamilies : configured.slice(0, 1);
  const filled = { ...given, ipFamilyPolicy: policy };
  const both = families.length === 1 && policy !== "SingleStack" ? [...families, otherOf(families[0])] : families;
  // a service that needs no addresses of this cluster may have endpoints of both families
  if (isDetached(given)) return { ...filled, ipFamilies: both };
  refuse(unconfigured(policy, ipFamilies, configured));
  return { ...filled, ipFamilies: configured.length === 2 ? both : families };
}

function unconfigured(
  policy: string,
  families: readonly string[],
  configured: readonly IpFamily[],
): readonly StatusCause[] {
  const known: readonly string[] = configured;
  const isTooMuch = policy === "RequireDualStack" && configured.length < 2;
  const why = "this cluster is not configured for dual-stack services";
  return [
    ...(isTooMuch ? [spec.child("ipFamilyPolicy").invalid(policy, why)] : []),
    ...families.flatMap((family, i) =>
      known.includes(family)
        ? []
        : [spec.child("ipFamilies").index(i).invalid(family, "not configured on this cluster")],
    ),
  ];
}

/** True for a service that prefers both families and says nothing new: it stays as it is when the cluster changes. */
function isSettled(given: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (old === undefined || old.type === "ExternalName" || given.ipFamilyPolicy !== "PreferDualStack") return false;
  if (old.ipFamilyPolicy !== "PreferDualStack") return false;
  return deepEqual(given.clusterIPs, old.clusterIPs) && deepEqual(given.ipFamilies, old.ipFamilies);
}

/** A service that is told to have one family only gives back its second address, unless the write names it anew. */
function withoutSecond(given: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
  const { clusterIPs = [], ipFamilies = [] } = given;
  return {
    ...given,
    ...(clusterIPs.length > 1 && deepEqual(clusterIPs, old?.clusterIPs) && { clusterIPs: clusterIPs.slice(0, 1) }),
    ...(ipFamilies.length > 1 && deepEqual(ipFamilies, old?.ipFamilies) && { ipFamilies: ipFamilies.slice(0, 1) }),
  };
}

function releases(given: ServiceSpec, policy: string, old: ServiceSpec | undefined): readonly StatusCause[] {
  const isLess = (now: readonly string[] = [], before: readonly string[] = []): boolean =>
    now.length === 1 && before.length === 2 && now[0] === before[0];
  const why = (what: string): StatusCause =>
    spec.child("ipFamilyPolicy").invalid(policy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isLess(given.clusterIPs, old?.clusterIPs) ? [why("cluster IP")] : []),
    ...(isLess(given.ipFamilies, old?.ipFamilies) ? [why("IP family")] : []),
  ];
}

const otherOf = (family: string | undefined): IpFamily => (family === "IPv4" ? "IPv6" : "IPv4");

/** A headless service without a selector: its endpoints are managed outside. */
const isDetached = ({ clusterIP, clusterIPs, selector }: ServiceSpec): boolean =>
  (clusterIP || clusterIPs?.[0]) === "None" && Object.keys(selector ?? {}).length === 0;

const defaultPolicy = (given: ServiceSpec): "RequireDualStack" | "SingleStack" =>
  isDetached(given) ? "RequireDualStack" : "SingleStack";

function mismatches(
  policy: string,
  clusterIPs: readonly string[],
  families: readonly string[],
): readonly StatusCause[] {
  if (policy !== "SingleStack") return [];
  const why = (what: string): StatusCause => {
    const message = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    return spec.child("ipFamilyPolicy").invalid(policy, message);
  };
  return [
    ...(clusterIPs.length === 2 ? [why("cluster IPs")] : []),
    ...(families.length === 2 ? [why("IP families")] : []),
  ];
}

/** An address without a named family must be of a configured family. */
function unknownAddresses(
  clusterIPs: readonly string[],
  families: readonly string[],
  configured: readonly IpFamily[],
): readonly StatusCause[] {
  return clusterIPs.flatMap((address, i) => {
    if (address === "None" || i < families.length || configured.includes(ipFamilyOf(address))) return [];
    const message = `${ipFamilyOf(address)} is not configured on this cluster`;
    return [spec.child("clusterIPs").index(i).invalid(clusterIPs, message)];
  });
}
