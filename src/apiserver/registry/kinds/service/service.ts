/** The strategy of services. Addresses and ports are allocated elsewhere, and validated here. */
import { fieldPath, type Service as AnyService, type ServicePort, type ServiceSpec } from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { portProtocols } from "../pod/validation/environment.js";
import { cidr, endpointAddress, writtenFamily, ipAddress } from "../rules/addresses.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Label,
  dns1123Subdomain,
  type Issues,
  labelMap,
  oneOf,
  optionalOneOf,
  type Path,
  portNumber,
  portNumberOrName,
  qualifiedName,
  required,
} from "../rules/issues.js";
import { labelName } from "../rules/names.js";
import { addressChanges, clusterAddresses, isHeadless } from "./addresses.js";
import { isExternal, needsHealthCheck, newAddresses, preparedUpdate, serviceDefaults } from "./prepare.js";
import { repeats } from "../../../../base/members.js";

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
    yield at.child("allocateLoadBalancerNodePorts").forbidden(balancerOnly);
  }
  yield* balancerClass(spec);
  yield* traffic(spec);
}

function* typeRules(spec: ServiceSpec): Issues {
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && spec.type !== "ExternalName") {
    yield at.child("ports").required();
  }
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") {
    if (isHeadless(spec)) {
      const why = `may not be set to 'None' for ${spec.type} services`;
      yield at.child("clusterIPs").index(0).invalid("None", why);
    }
  } else if (spec.type === "ExternalName") {
    const why = "may not be set for ExternalName services";
    if ((spec.clusterIPs ?? []).length > 0) yield at.child("clusterIPs").forbidden(why);
    if ((spec.ipFamilies ?? []).length > 0) yield at.child("ipFamilies").forbidden(why);
    if (spec.ipFamilyPolicy !== undefined) yield at.child("ipFamilyPolicy").forbidden(why);
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    yield* required(at.child("externalName"), name, dns1123Subdomain);
  }
}

function* ports(here: Path, spec: ServiceSpec): Issues {
  const all = spec.ports ?? [];
  const isRepeat = repeats();
  for (const [place, port] of here.items(all)) yield* portRules(place, port, { many: all.length > 1, isRepeat });
}

function* portRules(
  here: Path,
  port: ServicePort,
  context: { readonly many: boolean; isRepeat(name: string): boolean },
): Issues {
  const { name = "" } = port;
  if (name === "") {
    if (context.many) yield here.child("name").required();
  } else {
    yield* dns1123Label(here.child("name"), name);
    if (context.isRepeat(name)) yield here.child("name").duplicate(name);
  }
  yield* portNumber(here.child("port"), port.port);
  yield* oneOf(here.child("protocol"), port.protocol, portProtocols);
  yield* portNumberOrName(here.child("targetPort"), port.targetPort);
  if (port.appProtocol !== undefined) yield* qualifiedName(here.child("appProtocol"), port.appProtocol);
}

function* uniquePorts(here: Path, { type, ports: all = [] }: ServiceSpec): Issues {
  if (type === "ClusterIP") {
    for (const [place, { nodePort }] of here.items(all)) {
      if (nodePort) yield place.child("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
    }
  }
  const isRepeatedNodePort = repeats();
  for (const [itemAt, { nodePort, protocol }] of here.items(all)) {
    if (!nodePort) continue;
    if (isRepeatedNodePort(`${protocol} ${nodePort}`)) yield itemAt.child("nodePort").duplicate(nodePort);
  }
  const isRepeatedPort = repeats();
  for (const [index, { port, protocol }] of all.entries()) {
    if (isRepeatedPort(`${protocol} ${port}`)) {
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      yield here.index(index).duplicate(shown);
    }
  }
}

const dayInSeconds = 86_400;

function* affinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Issues {
  yield* oneOf(at.child("sessionAffinity"), sessionAffinity, ["ClientIP", "None"]);
  if (sessionAffinity !== "ClientIP") return;
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (timeout !== undefined && (timeout <= 0 || timeout > dayInSeconds)) {
    const here = at.child("sessionAffinityConfig", "clientIP", "timeoutSeconds");
    yield here.invalid(timeout, `must be greater than 0 and less than ${dayInSeconds}`);
  }
}

function* externalAddresses(here: Path, spec: ServiceSpec, old: ServiceSpec | undefined): Issues {
  const before = new Set(old?.externalIPs);
  for (const [place, ip] of here.items(spec.externalIPs)) {
    const errors = before.has(ip) ? [] : [...ipAddress(place, ip)];
    yield* errors;
    if (errors.length === 0) yield* endpointAddress(place, ip);
  }
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

function* sourceRanges(spec: ServiceSpec, annotations: Readonly<Record<string, string>>): Issues {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = annotations[rangesAnnotation];
  if (ranges.length > 0) {
    const here = at.child("LoadBalancerSourceRanges");
    if (spec.type !== "LoadBalancer") yield here.forbidden(balancerOnly);
    for (const [place, range] of here.items(ranges)) yield* cidr(place, range.trim());
  } else if (annotation !== undefined) {
    const here = fieldPath("metadata", "annotations").key(rangesAnnotation);
    if (spec.type !== "LoadBalancer") yield here.forbidden(balancerOnly);
    if (annotation.trim() === "") return;
    for (const range of annotation.split(",")) yield* cidr(here, range.trim());
  }
}

function* balancerClass({ type, loadBalancerClass: name }: ServiceSpec): Issues {
  if (name === undefined) return;
  if (type === "LoadBalancer") yield* qualifiedName(at.child("loadBalancerClass"), name);
  else yield at.child("loadBalancerClass").forbidden(balancerOnly);
}

function* traffic(spec: ServiceSpec): Issues {
  const { externalTrafficPolicy: external, healthCheckNodePort: health } = spec;
  const here = at.child("externalTrafficPolicy");
  if (isExternal(spec)) yield* oneOf(here, external, ["Cluster", "Local"]);
  else if (external) yield here.invalid(external, "may only be set for externally-accessible services");
  if (health && !needsHealthCheck(spec)) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield at.child("healthCheckNodePort").invalid(health, why);
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
    yield here.invalid(now.loadBalancerClass, "may not change once set");
  }
  yield* balancerClass(now);
  if (needsHealthCheck(now) && needsHealthCheck(before) && now.healthCheckNodePort !== before.healthCheckNodePort) {
    yield at.child("healthCheckNodePort").forbidden("field is immutable");
  }
  yield* serviceRules(service, old);
}

function* statusRules({ spec, status }: Service): Issues {
  const points = status?.loadBalancer?.ingress ?? [];
  const here = fieldPath("status", "loadBalancer", "ingress");
  if (spec.type !== "LoadBalancer" && points.length > 0) {
    yield here.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const [point, { ip = "", ipMode, hostname = "" }] of here.items(points)) {
    if (ip !== "") yield* ipAddress(point.child("ip"), ip);
    if (ipMode === undefined) {
      if (ip !== "") yield point.child("ipMode").required("must be specified when `ip` is set");
    } else if (ip === "") yield point.child("ipMode").forbidden("may not be specified when `ip` is not set");
    else yield* optionalOneOf(point.child("ipMode"), ipMode, ["Proxy", "VIP"]);
    if (hostname === "") continue;
    yield* dns1123Subdomain(point.child("hostname"), hostname);
    if (writtenFamily(hostname) !== undefined) {
      yield point.child("hostname").invalid(hostname, "must be a DNS name, not an IP address");
    }
  }
}

/** Upstream allocates addresses before it validates: errors about addresses come first, and alone. */
function* judged(service: Service, old: Service | undefined, rules: () => Issues): Issues {
  let fine = true;
  for (const wrong of clusterAddresses(service.spec, old?.spec)) {
    fine = false;
    yield wrong;
  }
  if (fine) yield* rules();
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
  status: { validateUpdate: statusRules },
  selectableFields: {
    "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
    "spec.type": ({ spec }) => spec.type ?? "",
  },
};
