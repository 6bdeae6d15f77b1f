/** The flags that give nodes ranges of addresses for their pods; names and defaults are those of kube-controller-manager. */
import { InvalidArgumentError, Option } from "commander";
import { defined } from "../../base/defined.js";
import { type ControllerDescriptor, nodeIpam } from "../../builtin/index.js";

export interface NodeRangeFlags {
  readonly allocateNodeCidrs?: boolean;
  readonly clusterCidr?: readonly string[];
  readonly serviceClusterIpRange?: readonly string[];
  readonly nodeCidrMaskSize?: number;
  readonly nodeCidrMaskSizeIpv4?: number;
  readonly nodeCidrMaskSizeIpv6?: number;
}

const parseList = (text: string): readonly string[] => text.split(",").map((part) => part.trim());

function parseMaskSize(text: string): number {
  const size = Number(text);
  if (/^[0-9]{1,3}$/.test(text) && size <= 128) return size;
  throw new InvalidArgumentError("It must be the length of a prefix, such as 24.");
}

const maskSizeOption = (suffix: string, about: string): Option =>
  new Option(`--node-cidr-mask-size${suffix} <bits>`, about).argParser(parseMaskSize);

export const nodeRangeOptions = (): readonly Option[] => [
  new Option("--allocate-node-cidrs", "give each node a part of --cluster-cidr for its pods"),
  new Option("--cluster-cidr <cidrs>", "the range of all pods, or one of each family").argParser(parseList),
  new Option("--service-cluster-ip-range <cidrs>", "the ranges of services, which no node gets").argParser(parseList),
  maskSizeOption("", "the prefix of a node's range (default: 24, or 64 for IPv6)"),
  maskSizeOption("-ipv4", "the same for IPv4, in a cluster of both families (default: 24)"),
  maskSizeOption("-ipv6", "the same for IPv6, in a cluster of both families (default: 64)"),
];

/** The controllers with the one for ranges, if it is wanted. Throws if the flags contradict each other. */
export function withNodeRanges(
  controllers: readonly ControllerDescriptor[],
  flags: NodeRangeFlags,
): readonly ControllerDescriptor[] {
  if (flags.allocateNodeCidrs !== true) return controllers;
  const ipam = nodeIpam({
    clusterCidrs: flags.clusterCidr ?? [],
    ...defined({
      serviceCidrs: flags.serviceClusterIpRange,
      nodeMaskSize: flags.nodeCidrMaskSize,
      nodeMaskSizeIpv4: flags.nodeCidrMaskSizeIpv4,
      nodeMaskSizeIpv6: flags.nodeCidrMaskSizeIpv6,
    }),
  });
  return controllers.map((one) => (one.name === ipam.name ? ipam : one));
}
