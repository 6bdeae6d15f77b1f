/** The simulated cloud: takes a node, gives the facts that a cloud would know of its machine. Pure. */
import type { Node, NodeAddress } from "../../api/index.js";
import { isSimulated, uninitializedTaint } from "../../placement/simulated-machines.js";
import { defined, unlessEmpty } from "../../base/defined.js";

const scheme = "simulated://";
const region = "simulated";
const zones = ["a", "b", "c"] as const;

/** Addresses reserved for measurements (RFC 2544): none can be mistaken for a real machine's. */
const publicRange = "198.18";

/** The sum of a text's letters, for choices that are the same each time. */
function digest(text: string, below: number): number {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003;
  return sum % below;
}

/** Whether the node waits for the cloud. */
export const isUninitialized = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key }) => key === uninitializedTaint.key);

/** Whether the cloud has the node's machine, or had it. */
export const isInCloud = (node: Node): boolean => isSimulated(node) && (node.spec?.providerID ?? "").startsWith(scheme);

/** The node with its id, type, zone and region, and without the taint. A zone that the node has already is kept. */
export function initialized(node: Node): Node {
  const { name, labels = {} } = node.metadata;
  const zone = labels["topology.kubernetes.io/zone"] ?? `${region}-${zones[digest(name, zones.length)]}`;
  const machine = {
    "beta.kubernetes.io/instance-type": "simulated",
    "node.kubernetes.io/instance-type": "simulated",
    "failure-domain.beta.kubernetes.io/zone": zone,
    "topology.kubernetes.io/zone": zone,
    "failure-domain.beta.kubernetes.io/region": region,
    "topology.kubernetes.io/region": region,
  };
  const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== uninitializedTaint.key);
  const { taints: _before, ...spec } = node.spec ?? {};
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...labels, ...machine } },
    spec: {
      ...spec,
      providerID: spec.providerID || `${scheme}${region}/${name}`,
      ...defined({ taints: unlessEmpty(taints) }),
    },
  };
}

/** The addresses of the machine: the node's own, and a public one. */
export function addressesOf({ metadata: { name }, status }: Node): readonly NodeAddress[] {
  const known = status?.addresses ?? [];
  if (known.some(({ type }) => type === "ExternalIP")) return known;
  const inside = known.find(({ type, address }) => type === "InternalIP" && /^[\d.]+$/.test(address))?.address;
  const host = digest(name, 65_534) + 1;
  const [, , third = host >> 8, fourth = host & 255] = inside?.split(".") ?? [];
  return [...known, { type: "ExternalIP", address: `${publicRange}.${third}.${fourth}` }];
}
