/** Chooses the IP families of a service on a cluster that has only IPv4. Pure. */
import { fieldPath, newInvalid, type Service, type ServiceSpec, type StatusCause } from "../../api/index.js";
import { isIP } from "node:net";

const spec = fieldPath("spec");
const kind = { group: "", kind: "Service" };

const familyOf = (address: string): "IPv4" | "IPv6" => (isIP(address) === 6 ? "IPv6" : "IPv4");

/** The spec with families and policy filled in. Throws a 422 for a family that this cluster does not have. */
export function withFamilies(service: Service, old: ServiceSpec | undefined): ServiceSpec {
  const given = service.spec ?? {};
  const policy = given.ipFamilyPolicy ?? old?.ipFamilyPolicy ?? defaultPolicy(given);
  const { clusterIPs = [], ipFamilies = [] } = given;
  const refuse = (causes: readonly StatusCause[]): void => {
    if (causes.length > 0) throw newInvalid(kind, service.metadata.name, causes);
  };
  refuse([...mismatches(policy, clusterIPs, ipFamilies), ...unknownAddresses(clusterIPs, ipFamilies)]);
  const families = ipFamilies.length > 0 ? ipFamilies : (["IPv4"] as const);
  if (isDetached(given)) {
    // the service needs no addresses of this cluster, so its endpoints may have both families
    const both = families.length === 1 && policy !== "SingleStack";
    return { ...given, ipFamilyPolicy: policy, ipFamilies: both ? [...families, otherOf(families[0])] : families };
  }
  refuse([
    ...(policy === "RequireDualStack"
      ? [spec.child("ipFamilyPolicy").invalid(policy, "this cluster is not configured for dual-stack services")]
      : []),
    ...ipFamilies.flatMap((family, i) =>
      family === "IPv4" ? [] : [spec.child("ipFamilies").index(i).invalid(family, "not configured on this cluster")],
    ),
  ]);
  return { ...given, ipFamilyPolicy: policy, ipFamilies: families };
}

const otherOf = (family: string | undefined): "IPv4" | "IPv6" => (family === "IPv4" ? "IPv6" : "IPv4");

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
function unknownAddresses(clusterIPs: readonly string[], families: readonly string[]): readonly StatusCause[] {
  return clusterIPs.flatMap((address, i) => {
    if (address === "None" || i < families.length || familyOf(address) === "IPv4") return [];
    const message = `${familyOf(address)} is not configured on this cluster`;
    return [spec.child("clusterIPs").index(i).invalid(clusterIPs, message)];
  });
}
