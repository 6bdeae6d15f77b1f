/** The file `/etc/hosts` that a kubelet writes into a container: takes the pod, gives the text. */
import type { Pod } from "../../api/index.js";

/** Undefined for a pod in its node's network, which has the file of the node. */
export function hostsFile({ metadata, spec, status }: Pod): string | undefined {
  if (spec?.hostNetwork === true) return undefined;
  const { hostname = metadata.name, subdomain, hostAliases = [] } = spec ?? {};
  const names =
    subdomain === undefined
      ? hostname
      : `${hostname}.${subdomain}.${metadata.namespace}.svc.cluster.local\t${hostname}`;
  return [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    ...(status?.podIPs ?? []).map(({ ip }) => `${ip}\t${names}`),
    ...(hostAliases.length === 0 ? [] : ["", "# Entries added by HostAliases."]),
    ...hostAliases.map(({ ip, hostnames = [] }) => [ip, ...hostnames].join("\t")),
    "",
  ].join("\n");
}
