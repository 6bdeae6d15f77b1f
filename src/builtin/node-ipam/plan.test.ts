import { describe, expect, test } from "vitest";
import type { Node } from "../../api/index.js";
import { NodeRanges, type NodeIpamSettings } from "./plan.js";

const node = (...podCIDRs: readonly string[]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  spec: { podCIDRs },
});

const takeAll = (ranges: NodeRanges): readonly string[] => {
  const taken: string[] = [];
  for (let one = ranges.take(); one !== undefined; one = ranges.take()) taken.push(one.join());
  return taken;
};

describe("ranges of nodes", () => {
  test("each is given once, in turn, and a released one after all others", () => {
    const ranges = new NodeRanges({ clusterCidrs: ["10.60.0.0/22"] });
    expect([ranges.take(), ranges.take()]).toEqual([["10.60.0.0/24"], ["10.60.1.0/24"]]);
    ranges.release(["10.60.0.0/24"]);
    expect(takeAll(ranges)).toEqual(["10.60.2.0/24", "10.60.3.0/24", "10.60.0.0/24"]);
    expect(ranges.take()).toBe(undefined);
  });

  test("the ranges that nodes and services have are left out, also larger and smaller ones", () => {
    const ranges = new NodeRanges({ clusterCidrs: ["10.60.0.0/21"], serviceCidrs: ["10.60.7.128/25", "10.96.0.0/12"] });
    ranges.occupy(node("10.60.1.0/24"));
    ranges.occupy(node("10.60.2.0/23"));
    expect(takeAll(ranges)).toEqual(["10.60.0.0/24", "10.60.4.0/24", "10.60.5.0/24", "10.60.6.0/24"]);
  });

  test("a range around the cluster's takes all of it", () => {
    const ranges = new NodeRanges({ clusterCidrs: ["10.60.0.0/22"], serviceCidrs: ["10.0.0.0/8"] });
    expect(ranges.take()).toBe(undefined);
  });

  test("a cluster with both families gives one of each, and takes neither if one is missing", () => {
    const ranges = new NodeRanges({
      clusterCidrs: ["fd00:10::/63", "10.60.0.0/16"],
      nodeMaskSizeIpv4: 26,
    });
    expect([ranges.take(), ranges.take(), ranges.take()]).toEqual([
      ["fd00:10::/64", "10.60.0.0/26"],
      ["fd00:10:0:1::/64", "10.60.0.64/26"],
      undefined,
    ]);
    ranges.release(["fd00:10::/64", "10.60.0.0/26"]);
    expect(ranges.take()).toEqual(["fd00:10::/64", "10.60.0.128/26"]);
  });

  test("a node with a range from elsewhere is reported", () => {
    const ranges = new NodeRanges({ clusterCidrs: ["10.60.0.0/22"] });
    const message = "the range 10.61.0.0/24 of node a lies outside of the cluster's ranges";
    expect(() => ranges.occupy(node("10.61.0.0/24"))).toThrow(message);
    expect(() => ranges.occupy(node("10.60.0.0/24", "fd00::/64"))).toThrow("the range fd00::/64");
    expect(() => ranges.occupy(node("nonsense"))).toThrow("the range nonsense");
  });

  for (const [settings, message] of [
    [{ clusterCidrs: [] }, "--allocate-node-cidrs needs --cluster-cidr"],
    [{ clusterCidrs: ["10.0.0.0"] }, '"10.0.0.0" is not a range'],
    [{ clusterCidrs: ["10.0.0.0/16", "10.1.0.0/16"] }, "different families"],
    [{ clusterCidrs: ["10.0.0.0/16", "fd00::/48", "fd01::/48"] }, "3 ranges"],
    [{ clusterCidrs: ["10.0.0.0/25"] }, "10.0.0.0/25 cannot be divided into ranges with the prefix 24"],
    [{ clusterCidrs: ["10.0.0.0/16"], nodeMaskSize: 33 }, "with the prefix 33"],
    [{ clusterCidrs: ["fd00::/32"] }, "fd00::/32 has more than 2^16 ranges"],
    [{ clusterCidrs: ["10.0.0.0/16", "fd00::/48"], nodeMaskSize: 24 }, "of which family"],
    [{ clusterCidrs: ["10.0.0.0/16"], nodeMaskSize: 24, nodeMaskSizeIpv4: 24 }, "excludes"],
    [{ clusterCidrs: ["10.0.0.0/16"], nodeMaskSizeIpv6: 64 }, "no IPv6"],
    [{ clusterCidrs: ["fd00::/48"], nodeMaskSizeIpv4: 24 }, "no IPv4"],
    [{ clusterCidrs: ["10.0.0.0/16"], serviceCidrs: ["?"] }, "--service-cluster-ip-range"],
  ] as const satisfies readonly (readonly [NodeIpamSettings, string])[]) {
    test(`settings are refused: ${message}`, () => expect(() => new NodeRanges(settings)).toThrow(message));
  }
});
