/** Prepares a service for validation: fills linked fields, keeps allocated values, drops fields that no longer apply. */
import { defined } from "../../../../base/defined.js";
import { deepEqual, type Service as AnyService, type ServicePort, type ServiceSpec } from "../../../../api/index.js";
import { changed, each, filled, having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";

type Service = WithSpec<AnyService>;

export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

const isInside = ({ type }: ServiceSpec): boolean =>
  type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer";

const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== "ExternalName";

const needsNodePort = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer";

function affinityDefaults(given: ServiceSpec): ServiceSpec {
  const spec = filled(given, { sessionAffinity: "None" });
  if (spec.sessionAffinity === "None") return having(spec, "sessionAffinityConfig", undefined);
  const known = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined;
  if (spec.sessionAffinity !== "ClientIP" || known) return spec;
  return { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } };
}

function portDefaults(port: ServicePort): ServicePort {
  const spoken = filled(port, { protocol: "TCP" });
  return spoken.targetPort ? spoken : { ...spoken, targetPort: spoken.port };
}

export function serviceDefaults(service: Service): Service {
  const specified = changed(service, "spec", (given) => {
    let spec = filled(affinityDefaults(given), { type: "ClusterIP" });
    spec = changed(spec, "ports", (ports) => each(ports, portDefaults));
    if (isExternal(spec)) spec = filled(spec, { externalTrafficPolicy: "Cluster" });
    if (isInside(spec)) spec = filled(spec, { internalTrafficPolicy: "Cluster" });
    return spec.type === "LoadBalancer" ? filled(spec, { allocateLoadBalancerNodePorts: true }) : spec;
  });
  if (specified.spec.type !== "LoadBalancer") return specified;
  return changed(specified, "status", (status) =>
    changed(status, "loadBalancer", (balancer) =>
      changed(balancer, "ingress", (points) =>
        each(points, (point) => (point.ip ? filled(point, { ipMode: "VIP" }) : point)),
      ),
    ),
  );
}

/** A client that sets only the singular field means the plural too. */
export function newAddresses(service: Service): Service {
  const { clusterIP, clusterIPs = [] } = service.spec;
  if (!clusterIP || clusterIPs.length > 0) return service;
  return { ...service, spec: { ...service.spec, clusterIPs: [clusterIP] } };
}

export function preparedUpdate(service: Service, old: Service): Service {
  return { ...service, spec: withoutUnneeded(withAllocated(linked(service.spec, old.spec), old.spec), old.spec) };
}

function linked(now: ServiceSpec, old: ServiceSpec): ServiceSpec {
  let spec = now;
  const before = old.clusterIPs ?? [];
  if (before.length > 0 && (spec.clusterIPs ?? []).length === 0 && spec.clusterIP === old.clusterIP) {
    spec = having(spec, "clusterIPs", before);
  }
  if ((spec.clusterIP ?? "") === (old.clusterIP ?? "") || !deepEqual(spec.clusterIPs ?? [], before)) return spec;
  return having(spec, "clusterIPs", spec.clusterIP ? [spec.clusterIP] : undefined);
}

/** A client that leaves out allocated values keeps them. */
function withAllocated(now: ServiceSpec, old: ServiceSpec): ServiceSpec {
  let spec = now;
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    spec = having(spec, "clusterIP", spec.clusterIP || old.clusterIP);
    if ((spec.clusterIPs ?? []).length === 0) spec = having(spec, "clusterIPs", old.clusterIPs);
    spec = filled(spec, defined({ ipFamilies: old.ipFamilies, ipFamilyPolicy: old.ipFamilyPolicy }));
  }
  if (needsNodePort(old) && needsNodePort(spec)) {
    const used = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    // of several ports of one name, the first counts
    const before = new Map((old.ports ?? []).toReversed().map(({ name, nodePort }) => [name ?? "", nodePort]));
    spec = changed(spec, "ports", (ports) =>
      each(ports, (port) => {
        if (port.nodePort) return port;
        const known = before.get(port.name ?? "");
        return known === undefined || used.has(known) ? port : { ...port, nodePort: known };
      }),
    );
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec)) {
    spec = having(spec, "healthCheckNodePort", spec.healthCheckNodePort || old.healthCheckNodePort);
  }
  return spec;
}

/** Drops fields that no longer apply, unless they were changed too: then they are validated. */
function withoutUnneeded(now: ServiceSpec, old: ServiceSpec): ServiceSpec {
  let spec = now;
  const drop = (field: keyof ServiceSpec): void => {
    if (deepEqual(spec[field], old[field])) spec = having(spec, field, undefined);
  };
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if (spec.clusterIP === old.clusterIP) drop("clusterIPs");
    drop("clusterIP");
    drop("ipFamilies");
    drop("ipFamilyPolicy");
    spec = having(spec, "internalTrafficPolicy", undefined);
  }
  const nodePorts = (one: ServiceSpec): unknown => (one.ports ?? []).map(({ nodePort = 0 }) => nodePort);
  if (needsNodePort(old) && !needsNodePort(spec) && deepEqual(nodePorts(spec), nodePorts(old))) {
    spec = changed(spec, "ports", (ports) => each(ports, (port) => having(port, "nodePort", undefined)));
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
  if (isExternal(old) && !isExternal(spec)) drop("externalTrafficPolicy");
  return spec;
}
