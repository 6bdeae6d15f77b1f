/** Simulated nodes as objects: the registration, the status report, and the power switch. Pure. */
import {
  type Draft,
  findCondition,
  formatTime,
  type Node,
  type NodeCondition,
  type NodeStatus,
  type Taint,
} from "../api/index.js";
import { attachesByController } from "../placement/attachments.js";
import { simulatedLabel, uninitializedTaint } from "../placement/simulated-machines.js";
import { nodeAddress, nodePodCidr } from "./addresses.js";

/** `static`: whole CPUs belong to containers of Guaranteed pods, which then cannot get other ones. */
const cpuManagerAnnotation = "coxswain.dev/cpu-manager-policy";

export const keepsCpus = ({ metadata }: Pick<Node, "metadata">): boolean =>
  metadata.annotations?.[cpuManagerAnnotation] === "static";

/** The resources of a node, e.g. `{ cpu: "8", memory: "32Gi", pods: "110" }`. */
export type NodeCapacity = Readonly<Record<string, string>>;

const defaultCapacity: NodeCapacity = {
  cpu: "32",
  memory: "256Gi",
  "ephemeral-storage": "1Ti",
  pods: "110",
};

export const nodeName = (index: number): string => `node-${index}`;

/** The number of devices that a simulated node has. */
export const devicesAnnotation = "coxswain.dev/devices";

export interface NewNodeOptions {
  readonly capacity?: NodeCapacity;
  readonly devices?: number;
  /** Whether a cloud has to complete the node before pods come to it. */
  readonly cloud?: boolean;
}

/** The n-th node, counted from 1, ready to be created. */
export function newNode(
  index: number,
  { capacity = defaultCapacity, devices = 0, cloud = false }: NewNodeOptions = {},
): Draft<Node> {
  const name = nodeName(index);
  const cidr = nodePodCidr(index);
  return {
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        [simulatedLabel.key]: simulatedLabel.value,
      },
      annotations: {
        [attachesByController]: "true",
        ...(devices > 0 && { [devicesAnnotation]: String(devices) }),
      },
    },
    spec: { podCIDR: cidr, podCIDRs: [cidr], ...(cloud && { taints: [uninitializedTaint] }) },
    status: { capacity, allocatable: capacity, addresses: addressesOf(name, nodeAddress(index)) },
  };
}

type NodeAddresses = NonNullable<NodeStatus["addresses"]>;

const addressesOf = (name: string, address: string): NodeAddresses => [
  { type: "InternalIP", address },
  { type: "Hostname", address: name },
];

/** The address of a pod's node; for a node without one, an address derived from its name. */
export function hostAddress({ metadata, status }: Node): string {
  const known = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (known !== undefined) return known;
  let sum = 0;
  for (const letter of metadata.name) sum = (sum * 31 + letter.charCodeAt(0)) % 65_534;
  return nodeAddress(sum + 1);
}

interface Health {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

const healthy: readonly Health[] = [
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

/** The place of a node's kubelet. */
export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

/** Whether the node's conditions are not those of a healthy node, its kubelet has moved, or its first report is missing. */
export const needsReport = ({ status }: Node, kubelet?: KubeletAddress): boolean =>
  (kubelet !== undefined && status?.daemonEndpoints?.kubeletEndpoint?.Port !== kubelet.port) ||
  healthy.some(({ type, status: wanted }) => findCondition(status?.conditions, type)?.status !== wanted) ||
  status?.nodeInfo?.kubeletVersion === undefined ||
  status.nodeInfo.kubeletVersion === "";

/** The node's taints without the one that a server gives to new nodes; undefined if the node does not have it. */
export function withoutNotReadyTaint({ spec }: Node): readonly Taint[] | undefined {
  const taints = spec?.taints ?? [];
  const others = taints.filter(({ key, effect }) => key !== "node.kubernetes.io/not-ready" || effect !== "NoSchedule");
  return others.length === taints.length ? undefined : others;
}

/** The status of a healthy node. Capacity and addresses that the node already has are kept. */
export function nodeReport(node: Node, now: number, kubelet?: KubeletAddress): NodeStatus {
  const time = formatTime(now);
  const { capacity, allocatable, addresses } = node.status ?? {};
  const { name } = node.metadata;
  const has = isEmpty(capacity) ? defaultCapacity : capacity;
  return {
    capacity: has,
    allocatable: isEmpty(allocatable) ? has : allocatable,
    addresses: reachableAt(isEmpty(addresses) ? addressesOf(name, hostAddress(node)) : addresses, kubelet),
    conditions: healthy.map((health): NodeCondition => {
      const known = findCondition(node.status?.conditions, health.type);
      const same = known?.status === health.status && known.lastTransitionTime !== undefined;
      return { ...health, lastHeartbeatTime: time, lastTransitionTime: same ? known.lastTransitionTime : time };
    }),
    daemonEndpoints: { kubeletEndpoint: { Port: kubelet?.port ?? 10_250 } },
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID: name,
      kernelVersion: "simulated",
      osImage: "coxswain simulated node",
      containerRuntimeVersion: "simulated://1.0.0",
      kubeletVersion: "v1.36.3",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
  };
}

const isEmpty = (members: object | undefined): members is undefined =>
  members === undefined || Object.keys(members).length === 0;

/** API servers look for a kubelet at its node's host name first. */
const reachableAt = (addresses: NodeAddresses, kubelet: KubeletAddress | undefined): NodeAddresses =>
  kubelet === undefined
    ? addresses
    : addresses.map((one) => (one.type === "Hostname" ? { ...one, address: kubelet.host } : one));
