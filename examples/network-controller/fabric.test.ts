import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fabric, FabricError } from "./fabric.js";

const request = { uid: "1", cidr: "10.0.0.0/24", gateway: "10.0.0.1" };

describe("the fabric", () => {
  test("gives the lowest free VLAN, and counts the addresses that are left", () => {
    const fabric = new Fabric();
    expect(fabric.ensure("a", request)).toMatchObject({ vlan: 1, usableAddresses: 253 });
    expect(fabric.ensure("b", { ...request, cidr: "10.0.1.0/24" })).toMatchObject({ vlan: 2 });
    fabric.remove("a");
    expect(fabric.ensure("c", { ...request, cidr: "10.0.2.0/30", gateway: "10.0.2.3" })).toMatchObject({
      vlan: 1,
      usableAddresses: 2,
    });
  });

  test("gives the VLAN that somebody had before, unless another has it", () => {
    const fabric = new Fabric();
    expect(fabric.ensure("a", { ...request, vlan: 7 }).vlan).toBe(7);
    expect(fabric.ensure("b", { ...request, cidr: "10.0.1.0/24", vlan: 7 }).vlan).toBe(1);
  });

  test("keeps the VLAN of a segment that changes, and not that of another one of the same name", () => {
    const fabric = new Fabric();
    fabric.ensure("other", { ...request, cidr: "10.9.0.0/16" });
    expect(fabric.ensure("a", request).vlan).toBe(2);
    fabric.remove("other");
    expect(fabric.ensure("a", { ...request, gateway: "10.0.0.9" }).vlan).toBe(2);
    expect(fabric.ensure("a", { ...request, uid: "2" }).vlan).toBe(1);
  });

  test("says what stands in the way", () => {
    const fabric = new Fabric({ vlans: 1 });
    fabric.ensure("a", request);
    expect(() => fabric.ensure("b", { ...request, cidr: "10.0.0.128/25" })).toThrow(
      new FabricError("10.0.0.128/25 overlaps 10.0.0.0/24 of a"),
    );
    expect(() => fabric.ensure("b", { ...request, cidr: "10.0.1.0/24" })).toThrow("all 1 VLANs are in use");
  });

  test("never gives one VLAN or one address to two segments", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "c", "d"),
      third: fc.nat(3),
      length: fc.integer({ min: 22, max: 26 }),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const fabric = new Fabric({ vlans: 3 });
        const owners = (): readonly (readonly [string, string])[] =>
          ["a", "b", "c", "d"].flatMap((key) => {
            const segment = fabric.get(key);
            return segment === undefined
              ? []
              : [[`vlan ${segment.vlan}`, key] as const, ...blocksOf(segment.cidr, key)];
          });
        for (const { key, third, length } of steps) {
          try {
            fabric.ensure(key, { uid: key, cidr: `10.0.${third}.0/${length}`, gateway: "10.0.0.1" });
          } catch (error) {
            expect(error).toBeInstanceOf(FabricError);
            fabric.remove(key);
          }
          const all = owners().map(([thing]) => thing);
          expect(new Set(all).size).toBe(all.length);
        }
      }),
    );
  });
});

/** The quarters of /24 that a range covers, counted naively. */
function blocksOf(cidr: string, key: string): readonly (readonly [string, string])[] {
  const [, third = "", length = ""] = /^10\.0\.(\d+)\.0\/(\d+)$/.exec(cidr) ?? [];
  const count = 2 ** (26 - Number(length));
  const first = Math.floor((Number(third) * 4) / count) * count;
  return Array.from({ length: count }, (_, index) => [`block ${first + index}`, key] as const);
}
