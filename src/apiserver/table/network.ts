/** Tables of services, their endpoints, ingresses and network policies. */
import {
  type Endpoints,
  type EndpointSlice,
  formatLabelSelector,
  groupResourceName,
  type Ingress,
  type IngressClass,
  type IPAddress,
  type NetworkPolicy,
  type Service,
  type ServiceCIDR,
} from "../../api/index.js";
import { firstFew, formatLabels } from "./human.js";
import { age, columnsOf, name, nameOrDefault, table, type Tables } from "./kind-table.js";

function externalIp({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [balancerAddresses(status?.loadBalancer?.ingress), ...external].filter(Boolean).join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function balancerAddresses(ingress: readonly { readonly ip?: string; readonly hostname?: string }[] = []): string {
  const addresses = ingress.map(({ ip, hostname }) => ip || hostname || "").filter(Boolean);
  return [...new Set(addresses)].sort().join(",");
}

function ports({ spec }: Service): string {
  const texts = (spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return texts.join(",") || "<none>";
}

function endpoints({ subsets }: Endpoints): string {
  const addresses = (subsets ?? []).flatMap(({ addresses: hosts = [], ports: numbers = [] }) =>
    numbers.length === 0
      ? hosts.map(({ ip }) => ip)
      : numbers.flatMap(({ port }) => hosts.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`))),
  );
  return firstFew(addresses, subsets && subsets.length > 0 ? "" : "<none>");
}

const slicePorts = ({ ports: all }: EndpointSlice): readonly string[] =>
  (all ?? []).map(({ port, name: portName }) => (port === undefined ? (portName ?? "*") : String(port)));

/** At most three hosts; the count of others includes rules without a host, as upstream. */
function hosts(rules: readonly { readonly host?: string }[] = []): string {
  const shown: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (shown.length === 3) more = true;
    else if (host) shown.push(host);
  }
  if (shown.length === 0) return "*";
  return more ? `${shown.join(",")} + ${rules.length - 3} more...` : shown.join(",");
}

function parameters({ spec }: IngressClass): string {
  if (!spec?.parameters) return "<none>";
  const { apiGroup, kind, name: parameter } = spec.parameters;
  return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${parameter}`;
}

function parent({ spec }: IPAddress): string {
  if (!spec?.parentRef) return "<none>";
  const { group = "", resource, namespace, name: parentName } = spec.parentRef;
  return [groupResourceName({ group, resource }).toLowerCase(), namespace, parentName].filter(Boolean).join("/");
}

export const networkTables: Tables = {
  "/Service": table<Service>({
    Name: name,
    Type: ({ spec }) => spec?.type ?? "",
    "Cluster-IP": ({ spec }) => spec?.clusterIPs?.[0] ?? "<none>",
    "External-IP": externalIp,
    "Port(s)": ports,
    Age: age,
    "Selector*": ({ spec }) => formatLabels(spec?.selector),
  }),
  "/Endpoints": table<Endpoints>({ Name: name, Endpoints: endpoints, Age: age }),
  "discovery.k8s.io/EndpointSlice": table<EndpointSlice>({
    Name: name,
    AddressType: ({ addressType }) => addressType,
    Ports: (slice) => firstFew(slicePorts(slice), "<unset>"),
    Endpoints: (slice) =>
      firstFew(
        (slice.endpoints ?? []).flatMap(({ addresses }) => addresses),
        "<unset>",
      ),
    Age: age,
  }),
  "networking.k8s.io/Ingress": table<Ingress>({
    Name: name,
    Class: ({ spec }) => spec?.ingressClassName ?? "<none>",
    Hosts: ({ spec }) => hosts(spec?.rules),
    Address: ({ status }) => balancerAddresses(status?.loadBalancer?.ingress),
    Ports: ({ spec }) => (spec?.tls && spec.tls.length > 0 ? "80, 443" : "80"),
    Age: age,
  }),
  "networking.k8s.io/IngressClass": table<IngressClass>({
    Name: nameOrDefault("ingressclass.kubernetes.io/is-default-class"),
    Controller: ({ spec }) => spec?.controller ?? "",
    Parameters: parameters,
    Age: age,
  }),
  "networking.k8s.io/NetworkPolicy": table<NetworkPolicy>({
    Name: name,
    "Pod-Selector": ({ spec }) => formatLabelSelector(spec?.podSelector ?? {}),
    Age: age,
  }),
  "networking.k8s.io/ServiceCIDR": table<ServiceCIDR>({
    Name: name,
    CIDRs: ({ spec }) => (spec?.cidrs ?? []).join(","),
    Age: age,
  }),
  // has one cell more than columns, as upstream
  "networking.k8s.io/IPAddress": {
    columns: columnsOf(["Name", "ParentRef"]),
    cells: (address, now) => [name(address), parent(address as IPAddress), age(address, now)],
  },
};
