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
import type { TableRenderer } from "../contracts/table.js";
import { firstFew, formatLabels } from "./human.js";
import { table } from "./kind-table.js";

export const serviceTable: TableRenderer = table<Service>(
  ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*"],
  (service, { age }) => [
    service.metadata.name,
    service.spec?.type ?? "",
    service.spec?.clusterIPs?.[0] ?? "<none>",
    externalIp(service),
    ports(service) || "<none>",
    age,
    formatLabels(service.spec?.selector),
  ],
);

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
  return texts.join(",");
}

export const endpointsTable: TableRenderer = table<Endpoints>(
  ["Name", "Endpoints", "Age"],
  ({ metadata, subsets }, { age }) => {
    const addresses = (subsets ?? []).flatMap(({ addresses: hosts = [], ports: numbers = [] }) =>
      numbers.length === 0
        ? hosts.map(({ ip }) => ip)
        : numbers.flatMap(({ port }) =>
            hosts.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
          ),
    );
    return [metadata.name, firstFew(addresses, subsets && subsets.length > 0 ? "" : "<none>"), age];
  },
);

export const endpointSliceTable: TableRenderer = table<EndpointSlice>(
  ["Name", "AddressType", "Ports", "Endpoints", "Age"],
  (slice, { age }) => [
    slice.metadata.name,
    slice.addressType,
    firstFew(
      (slice.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port))),
      "<unset>",
    ),
    firstFew(
      (slice.endpoints ?? []).flatMap(({ addresses }) => addresses),
      "<unset>",
    ),
    age,
  ],
);

export const ingressTable: TableRenderer = table<Ingress>(
  ["Name", "Class", "Hosts", "Address", "Ports", "Age"],
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    spec?.ingressClassName ?? "<none>",
    hosts(spec?.rules),
    balancerAddresses(status?.loadBalancer?.ingress),
    spec?.tls && spec.tls.length > 0 ? "80, 443" : "80",
    age,
  ],
);

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

export const ingressClassTable: TableRenderer = table<IngressClass>(
  ["Name", "Controller", "Parameters", "Age"],
  ({ metadata, spec }, { age }) => {
    const isDefault = metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";
    const { apiGroup, kind, name } = spec?.parameters ?? {};
    const parameters = `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
    return [
      isDefault ? `${metadata.name} (default)` : metadata.name,
      spec?.controller ?? "",
      spec?.parameters ? parameters : "<none>",
      age,
    ];
  },
);

export const networkPolicyTable: TableRenderer = table<NetworkPolicy>(
  ["Name", "Pod-Selector", "Age"],
  ({ metadata, spec }, { age }) => [metadata.name, formatLabelSelector(spec?.podSelector ?? {}), age],
);

export const serviceCidrTable: TableRenderer = table<ServiceCIDR>(
  ["Name", "CIDRs", "Age"],
  ({ metadata, spec }, { age }) => [metadata.name, (spec?.cidrs ?? []).join(","), age],
);

/** Has one cell more than columns, as upstream. */
export const ipAddressTable: TableRenderer = table<IPAddress>(["Name", "ParentRef"], ({ metadata, spec }, { age }) => {
  if (!spec?.parentRef) return [metadata.name, "<none>", age];
  const { group = "", resource, namespace, name } = spec.parentRef;
  const parent = [groupResourceName({ group, resource }).toLowerCase(), namespace, name].filter(Boolean).join("/");
  return [metadata.name, parent, age];
});
