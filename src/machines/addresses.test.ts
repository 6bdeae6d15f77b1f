import fc from "fast-check";
import { expect, test } from "vitest";
import { type AddressRange, isPartOf, parseRange } from "../base/net/ranges.js";
import { nodeAddress, nodePodCidr, podNetwork, PodAddresses } from "./addresses.js";

test("every node has addresses of its own", () => {
  const indices = Array.from({ length: 5_000 }, (_, i) => i + 1);
  expect(new Set(indices.map(nodeAddress)).size).toBe(5_000);
  expect(new Set(indices.map(nodePodCidr)).size).toBe(5_000);
  const network = parseRange(podNetwork) as AddressRange;
  expect(indices.every((index) => isPartOf(parseRange(nodePodCidr(index)) as AddressRange, network))).toBe(true);
  expect([nodeAddress(1), nodePodCidr(1), nodeAddress(300), nodePodCidr(300)]).toEqual([
    "172.18.0.1",
    "10.244.1.0/24",
    "172.18.1.44",
    "10.245.44.0/24",
  ]);
});

test("a pod keeps its address, also over a restart, and no two have the same", () => {
  const addresses = new PodAddresses("10.244.7.0/24");
  expect([addresses.take("a"), addresses.take("b"), addresses.take("a")]).toEqual([
    "10.244.7.2",
    "10.244.7.3",
    "10.244.7.2",
  ]);
  expect(addresses.take("c", "10.244.7.9")).toBe("10.244.7.9");
  expect(addresses.take("d", "10.244.7.2")).toBe("10.244.7.4");
  expect(addresses.take("e", "192.168.1.1")).toBe("10.244.7.5");
});

test("the range may be of IPv6, and a node without one has one all the same", () => {
  const addresses = new PodAddresses("fd00:10:0:7::/64");
  expect([addresses.take("a"), addresses.take("b", "fd00:10:0:7::9"), addresses.take("c", "10.0.0.1")]).toEqual([
    "fd00:10:0:7::2",
    "fd00:10:0:7::9",
    "fd00:10:0:7::3",
  ]);
  expect([new PodAddresses().take("a"), new PodAddresses("nonsense").take("a")]).toEqual(["10.244.0.2", "10.244.0.2"]);
});

test("as long as pods are there their addresses differ, however many come and go", () => {
  const step = fc.record({ take: fc.boolean(), pod: fc.integer({ min: 0, max: 20 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const addresses = new PodAddresses("10.0.0.0/28");
      const held = new Map<string, string>();
      for (const { take, pod } of steps) {
        if (take) held.set(`${pod}`, addresses.take(`${pod}`));
        else {
          addresses.release(`${pod}`);
          held.delete(`${pod}`);
        }
        expect(new Set(held.values()).size).toBe(held.size);
      }
    }),
  );
});
