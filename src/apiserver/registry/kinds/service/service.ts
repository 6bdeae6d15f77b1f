/** The strategy of services. Addresses and ports are allocated elsewhere, and validated here. */
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  isDns1123Subdomain,
  type Service as AnyService,
  type ServicePort,
  type ServiceSpec,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { portProtocols } from "../pod/validation/environment.js";
import { cidr, endpointAddress, familyOf, ipAddress } from "../rules/addresses.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Label,
  dns1123Subdomain,
  formed,
  type Issues,
  labelMap,
  oneOf,
  optionalOneOf,
  type Path,
  portNumber,
  portNumberOrName,
  qualifiedName,
} from "../rules/issues.js";
import { labelName } from "../rules/names.js";
import { addressChanges, clusterAddresses, isHeadless } from "./addresses.js";
import { isExternal, needsHealthCheck, newAddresses, preparedUpdate, serviceDefaults } from "./prepare.js";

type Service = WithSpec<AnyService>;

const at = fieldPath("spec");
const balancerOnly = "may only be used when `type` is 'LoadBalancer'";

function* serviceRules({ spec, metadata }: Service, old: Service | undefined): Issues {
  yield* typeRules(spec);
  yield* ports(at.child("ports"), spec);
  yield* labelMap(at.child("selector"), spec.selector);
  yield* affinity(spec);
  yield* externalAddresses(at.child("externalIPs"), spec, old?.spec);
  yield* oneOf(at.child("type"), spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
  yield* uniquePorts(at.child("ports"), spec);
  yield* sourceRanges(spec, metadata.annotations ?? {});
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== "LoadBalancer") {
    yield fieldForbidden(at.child("allocateLoadBalancerNodePorts"), balancerOnly);
  }
  yield* balancerClass(spec);
  yield* traffic(spec);
}

function* typeRules(spec: ServiceSpec): Issues {
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && spec.type !== "ExternalName") {
    yield fieldRequired(at.child("ports"));
  }
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") {
    if (isHeadless(spec)) {
      const why = `may not be set to 'None' for ${spec.type} services`;
      yield fieldInvalid(at.child("clusterIPs").index(0), "None", why);
    }
  } else if (spec.type === "ExternalName") {
    const why = "may not be set for ExternalName services";
    if ((spec.clusterIPs ?? []).length > 0) yield fieldForbidden(at.child("clusterIPs"), why);
    if ((spec.ipFamilies ?? []).length > 0) yield fieldForbidden(at.child("ipFamilies"), why);
    if (spec.ipFamilyPolicy !== undefined) yield fieldForbidden(at.child("ipFamilyPolicy"), why);
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    if (name === "") yield fieldRequired(at.child("externalName"));
    else yield* dns1123Subdomain(at.child("externalName"), name);
  }
}

function* ports(here: Path, spec: ServiceSpec): Issues {
  const all = spec.ports ?? [];
  const names = new Set<string>();
  for (const [index, port] of all.entries()) yield* portRules(here.index(index), port, { many: all.length > 1, names });
}

function* portRules(
  here: Path,
  port: ServicePort,
  context: { readonly many: boolean; readonly names: Set<string> },
): Issues {
  const { name = "" } = port;
  if (name === "") {
    if (context.many) yield fieldRequired(here.child("name"));
  } else {
    yield* dns1123Label(here.child("name"), name);
    if (context.names.has(name)) yield fieldDuplicate(here.child("name"), name);
    context.names.add(name);
  }
  yield* portNumber(here.child("port"), port.port);
  yield* oneOf(here.child("protocol"), port.protocol, portProtocols);
  yield* portNumberOrName(here.child("targetPort"), port.targetPort);
  if (port.appProtocol !== undefined) yield* qualifiedName(here.child("appProtocol"), port.appProtocol);
}

function* uniquePorts(here: Path, { type, ports: all = [] }: ServiceSpec): Issues {
  if (type === "ClusterIP") {
    for (const [index, { nodePort }] of all.entries()) {
      if (nodePort)
        yield fieldForbidden(here.index(index).child("nodePort"), "may not be used when `type` is 'ClusterIP'");
    }
  }
  const nodePorts = new Set<string>();
  for (const [index, { nodePort, protocol }] of all.entries()) {
    if (!nodePort) continue;
    if (nodePorts.has(`${protocol} ${nodePort}`)) yield fieldDuplicate(here.index(index).child("nodePort"), nodePort);
    nodePorts.add(`${protocol} ${nodePort}`);
  }
  const seen = new Set<string>();
  for (const [index, { port, protocol }] of all.entries()) {
    if (seen.has(`${protocol} ${port}`)) {
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      yield fieldDuplicate(here.index(index), shown);
    }
    seen.add(`${protocol} ${port}`);
  }
}

const dayInSeconds = 86_400;

function* affinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Issues {
  yield* oneOf(at.child("sessionAffinity"), sessionAffinity, ["ClientIP", "None"]);
  if (sessionAffinity !== "ClientIP") return;
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (timeout !== undefined && (timeout <= 0 || timeout > dayInSeconds)) {
    const here = at.child("sessionAffinityConfig", "clientIP", "timeoutSeconds");
    yield fieldInvalid(here, timeout, `must be greater than 0 and less than ${dayInSeconds}`);
  }
}

function* externalAddresses(here: Path, spec: ServiceSpec, old: ServiceSpec | undefined): Issues {
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const errors = old?.externalIPs?.includes(ip) ? [] : [...ipAddress(here.index(index), ip)];
    yield* errors;
    if (errors.length === 0) yield* endpointAddress(here.index(index), ip);
  }
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

function* sourceRanges(spec: ServiceSpec, annotations: Readonly<Record<string, string>>): Issues {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = annotations[rangesAnnotation];
  if (ranges.length > 0) {
    const here = at.child("LoadBalancerSourceRanges");
    if (spec.type !== "LoadBalancer") yield fieldForbidden(here, balancerOnly);
    for (const [index, range] of ranges.entries()) yield* cidr(here.index(index), range.trim());
  } else if (annotation !== undefined) {
    const here = fieldPath("metadata", "annotations").key(rangesAnnotation);
    if (spec.type !== "LoadBalancer") yield fieldForbidden(here, balancerOnly);
    if (annotation.trim() === "") return;
    for (const range of annotation.split(",")) yield* cidr(here, range.trim());
  }
}

function* balancerClass({ type, loadBalancerClass: name }: ServiceSpec): Issues {
  if (name === undefined) return;
  if (type === "LoadBalancer") yield* qualifiedName(at.child("loadBalancerClass"), name);
  else yield fieldForbidden(at.child("loadBalancerClass"), balancerOnly);
}

function* traffic(spec: ServiceSpec): Issues {
  const { externalTrafficPolicy: external, healthCheckNodePort: health } = spec;
  const here = at.child("externalTrafficPolicy");
  if (isExternal(spec)) yield* oneOf(here, external, ["Cluster", "Local"]);
  else if (external) yield fieldInvalid(here, external, "may only be set for externally-accessible services");
  if (health && !needsHealthCheck(spec)) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield fieldInvalid(at.child("healthCheckNodePort"), health, why);
  } else if (health) yield* portNumber(at.child("healthCheckNodePort"), health);
  yield* optionalOneOf(at.child("internalTrafficPolicy"), spec.internalTrafficPolicy, ["Cluster", "Local"]);
  const near = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  yield* optionalOneOf(at.child("trafficDistribution"), spec.trafficDistribution, near);
}

function* updateRules(service: Service, old: Service): Issues {
  const [now, before] = [service.spec, old.spec];
  yield* addressChanges(now, before);
  const here = at.child("loadBalancerClass");
  if (
    now.type === "LoadBalancer" &&
    before.type === "LoadBalancer" &&
    now.loadBalancerClass !== before.loadBalancerClass
  ) {
    yield fieldInvalid(here, now.loadBalancerClass, "may not change once set");
  }
  yield* balancerClass(now);
  if (needsHealthCheck(now) && needsHealthCheck(before) && now.healthCheckNodePort !== before.healthCheckNodePort) {
    yield fieldForbidden(at.child("healthCheckNodePort"), "field is immutable");
  }
  yield* serviceRules(service, old);
}

function* statusRules({ spec, status }: Service): Issues {
  const points = status?.loadBalancer?.ingress ?? [];
  const here = fieldPath("status", "loadBalancer", "ingress");
  if (spec.type !== "LoadBalancer" && points.length > 0) {
    yield fieldForbidden(here, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const [index, { ip = "", ipMode, hostname = "" }] of points.entries()) {
    const point = here.index(index);
    if (ip !== "") yield* ipAddress(point.child("ip"), ip);
    if (ipMode === undefined) {
      if (ip !== "") yield fieldRequired(point.child("ipMode"), "must be specified when `ip` is set");
    } else if (ip === "") yield fieldForbidden(point.child("ipMode"), "may not be specified when `ip` is not set");
    else if (ipMode !== "VIP" && ipMode !== "Proxy")
      yield fieldNotSupported(point.child("ipMode"), ipMode, ["Proxy", "VIP"]);
    if (hostname === "") continue;
    yield* formed(point.child("hostname"), hostname, isDns1123Subdomain(hostname));
    if (familyOf(hostname) !== undefined) {
      yield fieldInvalid(point.child("hostname"), hostname, "must be a DNS name, not an IP address");
    }
  }
}

/** Upstream allocates addresses before it validates: errors about addresses come first, and alone. */
function judged(service: Service, old: Service | undefined, rules: () => Issues): readonly FieldError[] {
  const wrong = [...clusterAddresses(service.spec, old?.spec)];
  return wrong.length > 0 ? wrong : [...rules()];
}

export const serviceStrategy: Strategy<Service> = {
  group: "",
  kind: "Service",
  lenient: { prefixOnUpdate: true },
  deleteReturnsObject: true,
  allowCreateOnUpdate: true,
  validateName: labelName,
  setDefaults: serviceDefaults,
  prepareForCreate: newAddresses,
  prepareForUpdate: preparedUpdate,
  validateCreate: (service) => judged(service, undefined, () => serviceRules(service, undefined)),
  validateUpdate: (service, old) => judged(service, old, () => updateRules(service, old)),
  status: { validateUpdate: (service) => [...statusRules(service)] },
  selectableFieldNames: ["spec.clusterIP", "spec.type"],
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec.clusterIP ?? "", "spec.type": spec.type ?? "" }),
};
